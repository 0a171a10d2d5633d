import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { type Item, ItemExists, putNew } from '../aws/dynamodb.js';
import { eventOf, open, type Place, type Sealed, Unsealed } from './sealed.js';

/** Stands where a person's data was, once the person is forgotten. */
export interface Forgotten {
  readonly forgotten: true;
}
const FORGOTTEN: Forgotten = { forgotten: true };

export interface PersonalKeysSettings {
  /** Table of the people's keys, one item a person. */
  readonly table: string;
  /** ARN of the KMS key that wraps them. */
  readonly kmsKey: string;
  readonly documents: DynamoDBDocumentClient;
  readonly kms: KMSClient;
}

/** A sealed value and its place; in a state without the event, whose id the value itself says. */
export interface SealedAt {
  readonly sealed: Sealed;
  readonly place: Omit<Place, 'event'> & Partial<Pick<Place, 'event'>>;
}

/** How long a function may hold a key, in seconds: as long as it can still read a person who is forgotten meanwhile. */
const IN_MEMORY_SECONDS = 300;
const MOST_IN_MEMORY = 200;

/** Neither a key nor a tombstone where something is sealed: it was not forgotten, it was lost. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';
}

/** Key of a person's item. */
export const personKey = (person: string): { readonly pk: string } => ({ pk: `PERSON#${person}` });

/**
 * Every person's own data key (design G8): whoever deletes it has deleted all that was sealed by it, wherever copies are.
 * KMS makes and wraps the key; its item becomes a tombstone when the person is forgotten, so that nothing that comes
 * late makes a new one:
 *
 *     late message              forget
 *     no key in memory
 *                               put tombstone over the key
 *     put key: refused, and shows the tombstone
 *
 * What KMS or DynamoDB throws is thrown on, before anything was sealed: it passes, and trying again helps.
 */
export class PersonalKeys {
  private readonly memory = new Map<string, { readonly key: Uint8Array; readonly until: number }>();

  constructor(private readonly settings: PersonalKeysSettings) {}

  /**
   * Prepares a person's data for its commit. Makes a key for a person who has none.
   * @returns nothing where the person is forgotten
   */
  async unsealed(person: string, plain: unknown): Promise<Unsealed | undefined> {
    const key = (await this.keyOf(person)) ?? (await this.newKey(person));
    return key === 'forgotten' ? undefined : new Unsealed(person, key, plain);
  }

  /**
   * Opens what was sealed for this person, each value for its place. However many there are, the key is asked for once; where
   * there are none, not at all.
   * @returns the data in their order, or {@link Forgotten} for each
   * @throws {SealBroken} one was sealed for another person or place; {@link KeyMissing}
   */
  async openAll(person: string, values: readonly SealedAt[]): Promise<readonly unknown[]> {
    if (values.length === 0) return [];
    const key = await this.keyOf(person);
    if (key === 'forgotten') return values.map(() => FORGOTTEN);
    if (!key) throw new KeyMissing('there is no key for what is sealed');
    return values.map(({ sealed, place }) => open(key, person, sealed, { event: eventOf(sealed), ...place }));
  }

  /** From memory, or from its item, strongly consistent. @returns nothing where the person has none yet */
  private async keyOf(person: string): Promise<Uint8Array | 'forgotten' | undefined> {
    this.dropExpired();
    const held = this.memory.get(person);
    if (held) return held.key;
    const { table, documents } = this.settings;
    const get = new GetCommand({ TableName: table, Key: personKey(person), ConsistentRead: true });
    const { Item } = await documents.send(get);
    return Item && this.keyIn(person, Item);
  }

  private async keyIn(person: string, item: Item): Promise<Uint8Array | 'forgotten'> {
    if (item.forgottenAt !== undefined) return 'forgotten';
    const { kms, kmsKey } = this.settings;
    const { Plaintext } = await kms.send(
      new DecryptCommand({
        KeyId: kmsKey,
        CiphertextBlob: item.wrapped as Uint8Array,
        EncryptionContext: encryptionContext(person),
      }),
    );
    return this.remember(person, Plaintext);
  }

  private async newKey(person: string): Promise<Uint8Array | 'forgotten'> {
    const { kms, kmsKey, table, documents } = this.settings;
    const { Plaintext, CiphertextBlob: wrapped } = await kms.send(
      new GenerateDataKeyCommand({ KeyId: kmsKey, KeySpec: 'AES_256', EncryptionContext: encryptionContext(person) }),
    );
    try {
      await putNew({ TableName: table, Item: { ...personKey(person), wrapped, createdAt: clock.now() } }, documents);
    } catch (error) {
      // Another request was first, or this one's answer was lost; or the person was forgotten at this moment.
      if (error instanceof ItemExists) return this.keyIn(person, error.existing);
      throw error;
    }
    return this.remember(person, Plaintext);
  }

  /** Of everybody, whoever is asked for: a key that nobody asks for again would stay for as long as the function does. */
  private dropExpired(): void {
    const now = clock.epochSeconds();
    for (const [person, { until }] of this.memory) {
      if (until <= now) this.memory.delete(person);
    }
  }

  private remember(person: string, key: Uint8Array | undefined): Uint8Array {
    if (key?.byteLength !== 32) throw new Error('KMS gave no key of 256 bits');
    const [oldest] = this.memory.keys();
    if (this.memory.size >= MOST_IN_MEMORY && oldest !== undefined) this.memory.delete(oldest);
    this.memory.set(person, { key, until: clock.epochSeconds() + IN_MEMORY_SECONDS });
    return key;
  }
}

/** Bound to the wrapped key by KMS, named in the rights of the functions, and written into CloudTrail: ids only. */
const encryptionContext = (person: string) => ({ purpose: 'personal-data', person });
