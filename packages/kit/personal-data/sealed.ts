import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';

/**
 * A person's data as it is stored and published: `1.<id of its event>.<initialisation vector, cipher text and tag>`, the
 * last in base64url. The event's id is told because a state, folded from many events, doesn't know it.
 */
export const Sealed = z.strictObject({ sealed: z.string().check(z.regex(/^1\.[0-9a-f-]{36}\.[A-Za-z0-9_-]{39,}$/)) });
export type Sealed = z.infer<typeof Sealed>;

/** Where a sealed value stands: it opens nowhere else. */
export interface Place {
  /** As in its key: `Order#3f…`. */
  readonly aggregate: string;
  readonly event: string;
  /** Of the event's data. */
  readonly field: string;
}

/** A sealed value that was changed, or stands where it was not sealed for. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** NIST SP 800-38D: 96 bits, random; one key stands for 2^32 of them, far above what one person writes. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What a seal binds its value to, beside the key. */
const boundTo = (person: string, { aggregate, event, field }: Place): Buffer =>
  Buffer.from(JSON.stringify([1, person, aggregate, event, field]));

/** AES-256-GCM (NIST SP 800-38D). @param key the person's, 32 bytes @param plain whatever JSON can hold */
export function seal(key: Uint8Array, person: string, plain: unknown, place: Place): Sealed {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(boundTo(person, place));
  const text = Buffer.concat([iv, cipher.update(JSON.stringify(plain), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { sealed: `1.${place.event}.${text.toString('base64url')}` };
}

/** Id of the event that a value says it was sealed for; `open` finds out whether that is true. */
export const eventOf = ({ sealed }: Sealed): string => sealed.split('.')[1] ?? '';

/** @throws {SealBroken} for another key, person, aggregate, event or field than it was sealed for */
export function open(key: Uint8Array, person: string, { sealed }: Sealed, place: Place): unknown {
  const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
  const [iv, text, tag] = [
    bytes.subarray(0, IV_BYTES),
    bytes.subarray(IV_BYTES, -TAG_BYTES),
    bytes.subarray(-TAG_BYTES),
  ];
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(person, place)).setAuthTag(tag);
    return JSON.parse(decipher.update(text, undefined, 'utf8') + decipher.final('utf8'));
  } catch (cause) {
    throw new SealBroken('this value was not sealed for this place', { cause });
  }
}

/**
 * A person's data on its way into a commit, which seals it: to domain code it is a sealed value whose text isn't known
 * yet. As JSON it has no data in it, and no schema takes it.
 */
export class Unsealed implements Sealed {
  readonly sealed = '';
  readonly #key: Uint8Array;
  readonly #plain: unknown;

  constructor(
    readonly person: string,
    key: Uint8Array,
    plain: unknown,
  ) {
    this.#key = key;
    this.#plain = plain;
  }

  sealAt(place: Place): Sealed {
    return seal(this.#key, this.person, this.#plain, place);
  }
}
