/**
 * A table's stream: one record per changed item. Only the order of one item's records is guaranteed.
 *
 * AWS, "Change data capture for DynamoDB Streams"; "DynamoDB Streams API Reference: Record, StreamRecord"; "Working
 * with expired items and time to live".
 */
import { firstWhere, hash } from './item-store.js';
import { itemBytes } from './size.js';
import { equalItems, keyText } from './values.js';
import type { AttributeValue, Change, ShardPage, StreamRecord, StreamViewType } from './wire.js';

const RETENTION_MS = 24 * 60 * 60 * 1000;
const TTL_SERVICE = { type: 'Service', principalId: 'dynamodb.amazonaws.com' } as const;

export interface StreamSettings {
  /** Part of the ids of its shards. */
  readonly id: string;
  readonly table: string;
  readonly view: StreamViewType;
  readonly partitionKey: string;
  readonly shards: number;
  readonly region: string;
  readonly random: () => number;
  /** Returns the time until a record is readable, ms. */
  readonly delay: () => number;
  /** Returns increasing sequence numbers of equal length. */
  readonly nextSequence: () => string;
}

interface Kept {
  readonly record: StreamRecord;
  readonly at: number;
  readonly visibleAt: number;
}

export interface Shard {
  readonly id: string;
  readonly first: string;
  readonly kept: Kept[];
  visibleAt: number;
  /** Newest sequence number that was trimmed. */
  trimmed?: string;
}

export class Stream {
  readonly shards: readonly Shard[];

  constructor(private readonly settings: StreamSettings) {
    const { id, shards, nextSequence } = settings;
    this.shards = Array.from({ length: shards }, (_, at) => ({
      id: `shardId-${String(hash(id)).padStart(20, '0')}-${String(at).padStart(8, '0')}`,
      first: nextSequence(),
      kept: [],
      visibleAt: 0,
    }));
  }

  /** Appends changes that commit together. Each item is among them once, so any order of their records is valid. */
  append(changes: readonly Change[], now: number, byTtl = false): void {
    const records = changes.filter(changesAnything);
    for (const change of shuffled(records, this.settings.random)) {
      const partition = keyText(change.key[this.settings.partitionKey] as AttributeValue);
      const shard = this.shards[hash(partition) % this.shards.length] as Shard;
      shard.visibleAt = Math.max(shard.visibleAt, now + Math.max(0, this.settings.delay()));
      shard.kept.push({ record: this.record(change, now, byTtl), at: now, visibleAt: shard.visibleAt });
    }
  }

  read(shard: Shard, from: string | undefined, limit: number, now: number): ShardPage {
    const old = firstWhere(shard.kept, (kept) => kept.at > now - RETENTION_MS);
    const gone = shard.kept.splice(0, old).at(-1);
    if (gone) shard.trimmed = gone.record.dynamodb.SequenceNumber;
    const start = from === undefined ? 0 : firstWhere(shard.kept, (kept) => kept.record.dynamodb.SequenceNumber > from);
    const end = firstWhere(shard.kept, (kept) => kept.visibleAt > now);
    const records = shard.kept.slice(start, Math.max(start, Math.min(end, start + limit))).map(({ record }) => record);
    const trimmed = shard.trimmed !== undefined && (from === undefined || from < shard.trimmed);
    return { records, next: records.at(-1)?.dynamodb.SequenceNumber ?? from, trimmed };
  }

  /** Returns the sequence number of a shard's newest record, or its first number if it never had one. */
  lastOf(shard: Shard): string {
    return shard.kept.at(-1)?.record.dynamodb.SequenceNumber ?? shard.trimmed ?? shard.first;
  }

  /** Returns the sequence number before another one's record; undefined if that is the shard's oldest. */
  before(shard: Shard, sequence: string): string | undefined {
    const at = firstWhere(shard.kept, (kept) => kept.record.dynamodb.SequenceNumber >= sequence);
    return at === 0 ? shard.trimmed : shard.kept[at - 1]?.record.dynamodb.SequenceNumber;
  }

  private record({ key, before, after }: Change, now: number, byTtl: boolean): StreamRecord {
    const { table, view, region, nextSequence } = this.settings;
    const images = {
      ...(after && (view === 'NEW_IMAGE' || view === 'NEW_AND_OLD_IMAGES') ? { NewImage: after } : {}),
      ...(before && (view === 'OLD_IMAGE' || view === 'NEW_AND_OLD_IMAGES') ? { OldImage: before } : {}),
    };
    const SequenceNumber = nextSequence();
    return {
      eventID: idOf(`${table}/${SequenceNumber}`),
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

/** An id of 32 hexadecimal digits, like AWS's. */
const idOf = (text: string): string =>
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
