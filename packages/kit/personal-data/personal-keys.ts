import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { type Item, ItemExists, putNew } from '../aws/dynamodb.js';
import { SafeError, safeText } from '../aws/safe-error.js';
import { open, type Place, type Sealed, seal, sealedEventId, Unsealed } from '../messages/sealed.js';
import { personKey } from './person-key.js';

/** Placeholder for the data of a person who was forgotten. */
export interface Forgotten {
  readonly forgotten: true;
}
const FORGOTTEN: Forgotten = { forgotten: true };

export interface PersonalKeysSettings {
  /** Name of the table of the people's keys, one item each. */
  readonly table: string;
  /** ARN of the KMS key that wraps the people's keys. */
  readonly kmsKey: string;
  readonly documents: DynamoDBDocumentClient;
  readonly kms: KMSClient;
}

/** A sealed value and its place. In a state, the place has no event: the value itself contains the event's id. */
export interface SealedAt {
  readonly sealed: Sealed;
  readonly place: Omit<Place, 'event'> & Partial<Pick<Place, 'event'>>;
}

/**
 * Seconds for which a function may keep an unwrapped key in memory, from before it asked KMS. It saves calls of KMS; a
 * function uses the key only after a look at the person's item.
 */
export const KEY_CACHE_SECONDS = 300;
const MAX_CACHED_KEYS = 200;

/** An unwrapped key, with the wrapped one of which it was made. */
interface CachedKey {
  readonly key: Uint8Array;
  readonly wrapped: Uint8Array;
  readonly until: number;
}

/** Error for sealed data that has neither a key nor a tombstone. The key was lost; the person was not forgotten. */
export class KeyMissing extends SafeError {
  override readonly name = 'KeyMissing';
}

/**
 * Data keys of people, one key for each person (design G8). Deleting a key deletes all data that was sealed with it,
 * wherever copies are (crypto-shredding).
 *
 * KMS creates and wraps each key (envelope encryption). When a person is forgotten, a tombstone replaces the item, so
 * that a late message does not create a new key:
 *
 *     late message              forget
 *     no key in memory
 *                               put tombstone over the key
 *     put key: refused, and shows the tombstone
 *
 * Each call looks at the person's item, strongly consistent, before it uses a key from memory. So a request that begins
 * after the erasure was answered neither reads nor seals anything. One that began earlier may still do so:
 *
 *     request                   forget
 *     look: a key
 *                               put tombstone over the key: answered
 *     commit, or answer
 *
 * Nobody can read afterwards what such a request commits. A condition in its transaction would double the cost of the
 * write, and would prevent nothing else.
 *
 * The caller receives errors of KMS and DynamoDB before anything is sealed. They are transient, so a retry helps.
 * @example
 * const address = await keys.createUnsealed(customerId, { street: 'Main Street 1' });
 * const place = { aggregate: `Order#${orderId}`, field: 'deliverTo' };
 * const [opened] = await keys.openAll(customerId, [{ sealed: order.deliverTo, place }]);
 */
export class PersonalKeys {
  private cache = new Map<string, CachedKey>();
  /** Items that this request has seen; absent outside of {@link forRequest}. */
  private seen: Map<string, Item | undefined> | undefined;

  constructor(private readonly settings: PersonalKeysSettings) {}

  /**
   * Returns the same keys for one request: it looks once at a person's item, however often the request seals and opens. Keep
   * them no longer than the request.
   */
  forRequest(): PersonalKeys {
    const keys = new PersonalKeys(this.settings);
    keys.cache = this.cache;
    keys.seen = new Map();
    return keys;
  }

  /**
   * Prepares a person's data for its commit, which seals it. Creates a key for a person who has none.
   * @returns `undefined` if the person is forgotten
   */
  async createUnsealed(person: string, plain: unknown): Promise<Unsealed | undefined> {
    const key = (await this.findKey(person)) ?? (await this.createKey(person));
    return key === 'forgotten' ? undefined : new Unsealed(person, key, plain);
  }

  /**
   * Seals a value at once, with the key that the person has. It creates none, so `grantDecrypt` suffices.
   * @returns `undefined` if the person has no key, or is forgotten
   */
  async seal(person: string, plain: unknown, place: Place): Promise<Sealed | undefined> {
    const key = await this.findKey(person);
    return key === undefined || key === 'forgotten' ? undefined : seal(key, person, plain, place);
  }

  /**
   * Opens values that were sealed for this person, each for its place. The key is requested once for all values, and
   * not at all if there are none.
   * @returns the data in the order of the values, or {@link Forgotten} for each
   * @throws {SealBroken} if a value was sealed for another person or place
   * @throws {KeyMissing} if there is neither a key nor a tombstone
   */
  async openAll(person: string, values: readonly SealedAt[]): Promise<readonly unknown[]> {
    if (values.length === 0) return [];
    const key = await this.findKey(person);
    if (key === 'forgotten') return values.map(() => FORGOTTEN);
    if (!key)
      throw new KeyMissing(
        safeText`the person has sealed data, but no key and no tombstone: restore the table of keys`,
      );
    return values.map(({ sealed, place }) => open(key, person, sealed, { event: sealedEventId(sealed), ...place }));
  }

  /**
   * Tells whether a person is forgotten, strongly consistent. It is for people of whom nothing sealed is at hand; opening
   * a value tells it too.
   */
  async isForgotten(person: string): Promise<boolean> {
    return (await this.readItem(person))?.forgottenAt !== undefined;
  }

  /**
   * Returns the key after a look at its item.
   * @returns `undefined` if the person has no key yet
   */
  private async findKey(person: string): Promise<Uint8Array | 'forgotten' | undefined> {
    this.dropExpired();
    const item = await this.readItem(person);
    return item && this.unwrap(person, item);
  }

  /** Reads a person's item, strongly consistent. */
  private async readItem(person: string): Promise<Item | undefined> {
    if (this.seen?.has(person)) return this.seen.get(person);
    const { table, documents } = this.settings;
    const get = new GetCommand({ TableName: table, Key: personKey(person), ConsistentRead: true });
    const { Item } = await documents.send(get);
    this.seen?.set(person, Item);
    return Item;
  }

  private async unwrap(person: string, item: Item): Promise<Uint8Array | 'forgotten'> {
    if (item.forgottenAt !== undefined) {
      this.cache.delete(person);
      return 'forgotten';
    }
    const wrapped = item.wrapped as Uint8Array;
    const held = this.cache.get(person);
    if (held && Buffer.compare(held.wrapped, wrapped) === 0) return held.key;
    const { kms, kmsKey } = this.settings;
    const until = cacheExpiry();
    const { Plaintext } = await kms.send(
      new DecryptCommand({ KeyId: kmsKey, CiphertextBlob: wrapped, EncryptionContext: encryptionContext(person) }),
    );
    return this.cacheKey(person, Plaintext, wrapped, until);
  }

  private async createKey(person: string): Promise<Uint8Array | 'forgotten'> {
    const { kms, kmsKey, table, documents } = this.settings;
    const until = cacheExpiry();
    const { Plaintext, CiphertextBlob } = await kms.send(
      new GenerateDataKeyCommand({ KeyId: kmsKey, KeySpec: 'AES_256', EncryptionContext: encryptionContext(person) }),
    );
    const wrapped = CiphertextBlob as Uint8Array;
    const created = { ...personKey(person), wrapped, createdAt: clock.now() };
    try {
      await putNew({ TableName: table, Item: created }, documents);
    } catch (error) {
      // Another request was first, or this request's answer was lost, or the person was forgotten at this moment.
      if (!(error instanceof ItemExists)) throw error;
      this.seen?.set(person, error.existing);
      return this.unwrap(person, error.existing);
    }
    this.seen?.set(person, created);
    return this.cacheKey(person, Plaintext, wrapped, until);
  }

  /**
   * Drops the expired keys of all people. Otherwise a key that nobody requests again would stay as long as the
   * function's process.
   */
  private dropExpired(): void {
    const now = clock.epochSeconds();
    for (const [person, { until }] of this.cache) {
      if (until <= now) this.cache.delete(person);
    }
  }

  private cacheKey(person: string, key: Uint8Array | undefined, wrapped: Uint8Array, until: number): Uint8Array {
    if (key?.byteLength !== 32) throw new Error('KMS gave no key of 256 bits');
    const [oldest] = this.cache.keys();
    if (this.cache.size >= MAX_CACHED_KEYS && oldest !== undefined) this.cache.delete(oldest);
    this.cache.set(person, { key, wrapped, until });
    return key;
  }
}

const cacheExpiry = (): number => clock.epochSeconds() + KEY_CACHE_SECONDS;

/**
 * Returns the encryption context of a person's key: ids only, because KMS binds it to the wrapped key, the functions'
 * permissions name it, and CloudTrail logs it.
 */
const encryptionContext = (person: string) => ({ purpose: 'personal-data', person });
