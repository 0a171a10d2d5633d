/**
 * A table's stream: one record per changed item. Only the order of one item's records is guaranteed.
 *
 * A shard that splits is closed, and two others have its items from then on; one that rolls over has one successor. A reader
 * that keeps the order of an item reads a shard to its end before its successors.
 *
 * AWS, "Change data capture for DynamoDB Streams" (shards are ephemeral, and have a lineage); "DynamoDB Streams API
 * Reference: Record, StreamRecord, Shard"; "Working with expired items and time to live".
 */
import { hash, lowerBound } from './item-store.js';
import { itemBytes } from './size.js';
import type { KeySchema } from './table-definition.js';
import { compareValues, equalItems, keyText } from './values.js';
import type { AttributeValue, Change, Item, ShardPage, StreamRecord, StreamViewType } from './wire.js';

const RETENTION_MS = 24 * 60 * 60 * 1000;
const TTL_SERVICE = { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const;

/** Limit of the open shards of one stream, so that a history ends. AWS documents none. */
const MAX_OPEN_SHARDS = 32;

/** End of an open shard: two shards share its items, or one has all of them. */
export type ShardChange = 'splits' | 'rolls over';

export interface StreamSettings {
  /** Part of the ids of its shards. */
  readonly id: string;
  readonly table: string;
  readonly view: StreamViewType;
  readonly key: KeySchema;
  /**
   * Whether a shard may split within the items of one partition key. AWS, "Best practices for designing and using partition
   * keys effectively" (adaptive capacity): a table without local secondary indexes may spread an item collection over several
   * partitions.
   */
  readonly splitsCollections: () => boolean;
  /** Number of shards in the beginning. */
  readonly shards: number;
  /** Returns the end of a shard before a record. @param age of the shard, ms */
  readonly change: (age: number) => ShardChange | undefined;
  readonly now: () => number;
  readonly region: string;
  readonly random: () => number;
  /** Returns increasing sequence numbers of equal length. */
  readonly nextSequence: () => string;
}

interface Kept {
  readonly record: StreamRecord;
  readonly at: number;
}

export interface Shard {
  readonly id: string;
  /** Id of the shard whose items it took over. */
  readonly parent?: string;
  readonly first: string;
  readonly openedAt: number;
  readonly kept: Kept[];
  /** Newest sequence number that was trimmed. */
  trimmed?: string;
  /** Absent as long as it is written to. */
  closed?: Closed;
}

interface Closed {
  readonly at: number;
  readonly successorOf: (key: Item) => Shard;
}

export class Stream {
  private readonly roots: readonly Shard[];
  private all: Shard[] = [];
  private opened = 0;

  constructor(private readonly settings: StreamSettings) {
    this.roots = Array.from({ length: settings.shards }, () => this.open());
  }

  /** Shards that can be read, each behind its parent. A closed one is gone with its last record. */
  get shards(): readonly Shard[] {
    const expired = this.settings.now() - RETENTION_MS;
    if (this.all.some(({ closed }) => closed && closed.at <= expired))
      this.all = this.all.filter(({ closed }) => !closed || closed.at > expired);
    return this.all;
  }

  /** Appends changes that commit together. Each item is among them once, so any order of their records is valid. */
  append(changes: readonly Change[], now: number, byTtl = false): void {
    const records = changes.filter(changesAnything);
    for (const change of shuffled(records, this.settings.random)) {
      const shard = this.shardFor(change.key, now);
      // Nobody may ever read it.
      trim(shard, now);
      shard.kept.push({ record: this.record(change, now, byTtl), at: now });
    }
  }

  read(shard: Shard, from: string | undefined, limit: number, now: number): ShardPage {
    trim(shard, now);
    const start = from === undefined ? 0 : lowerBound(shard.kept, (kept) => kept.record.dynamodb.SequenceNumber > from);
    const records = shard.kept.slice(start, start + limit).map(({ record }) => record);
    const trimmed = shard.trimmed !== undefined && (from === undefined || from < shard.trimmed);
    // A reader that comes too late continues behind what was trimmed.
    const next = records.at(-1)?.dynamodb.SequenceNumber ?? (trimmed ? shard.trimmed : from);
    const ended = shard.closed !== undefined && (next ?? shard.first) >= this.lastSequence(shard);
    return { records, next, trimmed, ended };
  }

  /** Returns the sequence number of a shard's newest record, or its first number if it never had one. */
  lastSequence(shard: Shard): string {
    return shard.kept.at(-1)?.record.dynamodb.SequenceNumber ?? shard.trimmed ?? shard.first;
  }

  /** Returns the sequence number before another one's record; undefined if that is the shard's oldest. */
  before(shard: Shard, sequence: string): string | undefined {
    const at = lowerBound(shard.kept, (kept) => kept.record.dynamodb.SequenceNumber >= sequence);
    return at === 0 ? shard.trimmed : shard.kept[at - 1]?.record.dynamodb.SequenceNumber;
  }

  /** Returns the open shard for an item, which may be a new one. */
  private shardFor(key: Item, now: number): Shard {
    const { change } = this.settings;
    let shard = this.roots[this.hashKey(key) % this.roots.length] as Shard;
    while (shard.closed) shard = shard.closed.successorOf(key);
    const ends = change(now - shard.openedAt);
    if (ends === undefined) return shard;
    const isFull = this.all.filter(({ closed }) => !closed).length >= MAX_OPEN_SHARDS;
    if (ends === 'splits' && !isFull) this.split(shard, key);
    else {
      const successor = this.open(shard.id);
      shard.closed = { at: now, successorOf: () => successor };
    }
    return (shard.closed as Closed).successorOf(key);
  }

  /** Splits a shard at one of its newest items, or at the one that is written now: there is the load. */
  private split(shard: Shard, written: Item): void {
    const { now, random } = this.settings;
    const keys = [...shard.kept.slice(-MAX_OPEN_SHARDS).map(({ record }) => record.dynamodb.Keys), written];
    const pivot = keys[Math.floor(random() * keys.length)] as Item;
    const [below, above] = [this.open(shard.id), this.open(shard.id)];
    shard.closed = { at: now(), successorOf: (key) => (this.compare(key, pivot) < 0 ? below : above) };
  }

  private open(parent?: string): Shard {
    const { id, nextSequence, now } = this.settings;
    const first = nextSequence();
    const shard: Shard = {
      id: `shardId-${String(hash(id)).padStart(20, '0')}-${String(this.opened++).padStart(8, '0')}`,
      ...(parent === undefined ? {} : { parent }),
      first,
      openedAt: now(),
      kept: [],
    };
    this.all.push(shard);
    return shard;
  }

  /** Orders items as partitions do: by a hash of the partition key, then by the sort key. */
  private compare(one: Item, other: Item): number {
    const { sort } = this.settings.key;
    const byPartition = this.hashKey(one) - this.hashKey(other);
    if (byPartition !== 0 || sort === undefined || !this.settings.splitsCollections()) return byPartition;
    return compareValues(one[sort] as AttributeValue, other[sort] as AttributeValue) ?? 0;
  }

  private hashKey(key: Item): number {
    return hash(keyText(key[this.settings.key.partition] as AttributeValue));
  }

  private record({ key, before, after }: Change, now: number, byTtl: boolean): StreamRecord {
    const { table, view, region, nextSequence } = this.settings;
    const images = {
      ...(after && (view === 'NEW_IMAGE' || view === 'NEW_AND_OLD_IMAGES') ? { NewImage: after } : {}),
      ...(before && (view === 'OLD_IMAGE' || view === 'NEW_AND_OLD_IMAGES') ? { OldImage: before } : {}),
    };
    const SequenceNumber = nextSequence();
    return {
      eventID: toShardId(`${table}/${SequenceNumber}`),
      eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: region,
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(now / 1000),
        Keys: key,
        ...images,
        SequenceNumber,
        SizeBytes: [key, ...Object.values(images)].reduce((sum, item) => sum + itemBytes(item), 0),
        StreamViewType: view,
      },
      ...(byTtl ? { userIdentity: TTL_SERVICE } : {}),
    };
  }
}

/** Forgets a shard's records that are older than the stream keeps them. */
function trim(shard: Shard, now: number): void {
  const isOld = ({ at }: Kept): boolean => at <= now - RETENTION_MS;
  const [oldest] = shard.kept;
  if (!oldest || !isOld(oldest)) return;
  const gone = shard.kept.splice(
    0,
    lowerBound(shard.kept, (kept) => !isOld(kept)),
  );
  shard.trimmed = gone.at(-1)?.record.dynamodb.SequenceNumber as string;
}

/** An id of 32 hexadecimal digits, like AWS's. */
const toShardId = (text: string): string =>
  [1, 2, 3, 4].map((part) => hash(`${part}/${text}`).toString(16).padStart(8, '0')).join('');

/** A write that leaves an item unchanged creates no record. */
const changesAnything = ({ before, after }: Change): boolean =>
  before && after ? !equalItems(before, after) : before !== after;

/** Fisher-Yates; it draws no random number if there is only one order. */
export function shuffled<T>(members: readonly T[], random: () => number): readonly T[] {
  if (members.length < 2) return members;
  const all = [...members];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}
