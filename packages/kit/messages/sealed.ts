import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { SafeError, safeText } from '../aws/safe-error.js';

/**
 * Personal data as it is stored and published: `1.<id of its event>.<initialisation vector, cipher text and tag>`; the
 * last part is base64url. The value contains the event's id, because a state that is folded from many events does not
 * know it.
 */
export const Sealed = z.strictObject({ sealed: z.string().check(z.regex(/^1\.[0-9a-f-]{36}\.[A-Za-z0-9_-]{39,}$/)) });
export type Sealed = z.infer<typeof Sealed>;

/** Place of a sealed value. The value opens nowhere else. */
export interface Place {
  /** Partition key of the aggregate, for example `Order#3f…`. */
  readonly aggregate: string;
  readonly event: string;
  /** Field of the event's data. */
  readonly field: string;
}

/** Error for a sealed value that was changed, or is in another place than it was sealed for. */
export class SealBroken extends SafeError {
  override readonly name = 'SealBroken';
}

/**
 * Size of the random initialisation vector: 96 bits (NIST SP 800-38D). It allows 2^32 values for one key, far above
 * what one person writes.
 */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Returns the data to which a seal binds its value, besides the key. */
const buildAdditionalData = (person: string, { aggregate, event, field }: Place): Buffer =>
  Buffer.from(JSON.stringify([1, person, aggregate, event, field]));

/**
 * Seals a value with AES-256-GCM (NIST SP 800-38D).
 * @param key data key of the person, 32 bytes
 * @param plain any value that JSON can represent
 */
export function seal(key: Uint8Array, person: string, plain: unknown, place: Place): Sealed {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(buildAdditionalData(person, place));
  const text = Buffer.concat([iv, cipher.update(JSON.stringify(plain), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { sealed: `1.${place.event}.${text.toString('base64url')}` };
}

/** Returns the event id that a sealed value contains. `open` verifies it. */
export const sealedEventId = ({ sealed }: Sealed): string => sealed.split('.')[1] ?? '';

/**
 * Opens a sealed value.
 * @throws {SealBroken} if it was sealed for another key, person, aggregate, event or field
 */
export function open(key: Uint8Array, person: string, { sealed }: Sealed, place: Place): unknown {
  const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
  const [iv, text, tag] = [
    bytes.subarray(0, IV_BYTES),
    bytes.subarray(IV_BYTES, -TAG_BYTES),
    bytes.subarray(-TAG_BYTES),
  ];
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(buildAdditionalData(person, place)).setAuthTag(tag);
    return JSON.parse(decipher.update(text, undefined, 'utf8') + decipher.final('utf8'));
  } catch (cause) {
    throw new SealBroken(safeText`this value was not sealed for this place`, { cause });
  }
}

/**
 * Personal data that its commit will seal. Domain code treats it as a sealed value whose text is not known yet. As JSON
 * it contains no data, and no schema accepts it.
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
