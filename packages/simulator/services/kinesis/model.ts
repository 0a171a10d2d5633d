import { createHash } from 'node:crypto';
import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';

/** A record of a stream. */
export interface KinesisRecord {
  readonly shardId: string;
  /** Ascends within its shard; all have the same length. */
  readonly sequence: string;
  readonly partitionKey: string;
  /** Base64 */
  readonly data: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A shard, and the hash keys whose records it has. */
export interface KinesisShard {
  readonly shardId: string;
  readonly firstHash: bigint;
  readonly lastHash: bigint;
  readonly firstSequence: string;
  records: KinesisRecord[];
  /** Newest sequence number that was trimmed. */
  trimmed: string | undefined;
}

/** Hash keys are the 128 bits of an MD5 hash. Amazon Kinesis Data Streams, "Terminology and concepts", partition key. */
const HASHES = 1n << 128n;
/** "Choose the right mode for your stream": shards of a new stream in on-demand mode. */
const ON_DEMAND_SHARDS = 4;
const HOUR = 3_600_000;

/** A data stream: ordered in each shard. Amazon Kinesis Data Streams, "Terminology and concepts". Its shards never change here. */
export class KinesisStream {
  readonly name: string;
  readonly shards: readonly KinesisShard[];
  /** Milliseconds for which it keeps a record. */
  readonly retention: number;
  /** Number of records that it has taken. */
  taken = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly resource: Resource,
    private readonly world: EventLoop,
    private readonly nextSequence: () => string,
  ) {
    const { properties, ref } = resource;
    const { StreamMode } = (properties.StreamModeDetails ?? {}) as { StreamMode?: string };
    const count = StreamMode === 'ON_DEMAND' ? ON_DEMAND_SHARDS : Number(properties.ShardCount ?? 1);
    const size = HASHES / BigInt(count);
    this.name = ref;
    this.retention = Number(properties.RetentionPeriodHours ?? 24) * HOUR;
    this.shards = Array.from({ length: count }, (_, at) => ({
      shardId: `shardId-${String(at).padStart(12, '0')}`,
      firstHash: size * BigInt(at),
      lastHash: at === count - 1 ? HASHES - 1n : size * BigInt(at + 1) - 1n,
      firstSequence: nextSequence(),
      records: [],
      trimmed: undefined,
    }));
  }

  /** Path of its construct. */
  get label(): string {
    return this.resource.label;
  }

  /** @param listener called whenever the stream has taken records */
  onRecords(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** @param hash decides over the shard. @default the MD5 hash of the partition key */
  put(partitionKey: string, data: string, hash = hashOf(partitionKey)): KinesisRecord {
    const { world } = this;
    const shard = this.shards.find(({ lastHash }) => hash <= lastHash) as KinesisShard;
    const record = { shardId: shard.shardId, sequence: this.nextSequence(), partitionKey, data, at: world.now };
    this.trim(shard);
    shard.records.push(record);
    this.taken++;
    world.tell(() => ({
      kind: 'message',
      owner: this.label,
      id: record.sequence,
      target: this.label,
      outcome: 'sent',
    }));
    for (const listener of this.listeners) listener();
    return record;
  }

  findShard(shardId: string): KinesisShard | undefined {
    return this.shards.find((shard) => shard.shardId === shardId);
  }

  /** Reads a shard behind a sequence number. @param from `undefined` is the shard's oldest record */
  read(shard: KinesisShard, from: string | undefined, limit: number) {
    this.trim(shard);
    const { trimmed: gone, records: kept } = shard;
    const start = from === undefined ? 0 : kept.findIndex(({ sequence }) => sequence > from);
    const records = start < 0 ? [] : kept.slice(start, start + limit);
    const trimmed = gone !== undefined && (from === undefined || from < gone);
    return { records, next: records.at(-1)?.sequence ?? (trimmed ? gone : from), trimmed, ended: false };
  }

  private trim(shard: KinesisShard): void {
    const oldest = this.world.now - this.retention;
    const [first] = shard.records;
    if (!first || first.at > oldest) return;
    const left = shard.records.filter(({ at }) => at > oldest);
    shard.trimmed = shard.records[shard.records.length - left.length - 1]?.sequence;
    shard.records = left;
  }
}

const hashOf = (partitionKey: string): bigint => BigInt(`0x${createHash('md5').update(partitionKey).digest('hex')}`);

/** The data streams of an account. */
export class KinesisStreams {
  private readonly byArn = new Map<string, KinesisStream>();
  private sequences = 0;

  constructor(resources: readonly Resource[], world: EventLoop) {
    for (const resource of resources)
      this.byArn.set(
        resource.arn,
        new KinesisStream(resource, world, () => `49${String(++this.sequences).padStart(54, '0')}`),
      );
  }

  list(): readonly KinesisStream[] {
    return [...this.byArn.values()];
  }

  find(arn: string): KinesisStream | undefined {
    return this.byArn.get(arn);
  }

  findByName(name: string): KinesisStream | undefined {
    return this.list().find((stream) => stream.name === name);
  }
}
