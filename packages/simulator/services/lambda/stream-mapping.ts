import { createHash } from 'node:crypto';
import type { Resource } from '../../assembly/assembly.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { Iam } from '../iam/model.js';
import type { Consumer } from './consumer.js';
import type { DiscardedBatch } from './discarded-batch.js';
import { EventSource } from './event-source.js';
import type { InvocationResult } from './model.js';
import { parseBatchFailures } from './queue-mapping.js';
import type { StreamReader } from './stream-reader.js';

const KNOWN = [
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'MaximumBatchingWindowInSeconds',
  'MaximumRecordAgeInSeconds',
  'MaximumRetryAttempts',
  'ParallelizationFactor',
  'StartingPosition',
];

/** Records of one part of a shard, strictly one batch after the other. */
interface Lane<R> {
  readonly shardId: string;
  readonly records: R[];
  busy: boolean;
  /** Batches that are in work, and those that wait behind them. */
  batches: readonly Batch<R>[];
}

interface Batch<R> {
  readonly records: readonly R[];
  /** Failed attempts so far; splitting doesn't count. */
  readonly retries: number;
  readonly invocations: number;
}

/** Milliseconds in which a live stream collects a batch. */
const POLLED_AFTER = 5;

/** Longest time until Lambda finds a shard whose parent it has worked off, ms. AWS documents none. */
const FOUND_WITHIN = 10_000;

/**
 * Poller of a stream, for a function or a pipe. AWS, "Using AWS Lambda with Amazon DynamoDB", "Process
 * DynamoDB records with Lambda" (parallelization factor: order per item is kept), "Retain discarded records".
 *
 * Each shard is read by itself, with batches, retries and a position of its own. A shard that took over items of another one
 * is read after that one was worked off, so the order per item is kept, too. AWS, "Change data capture for DynamoDB Streams"
 * (a parent shard is processed before its children).
 */
export class StreamMapping<R> extends EventSource {
  private readonly positions = new Map<string, string | undefined>();
  /** Closed shards that were read to their end. */
  private readonly ended = new Set<string>();
  /** Shards of which nothing is left to do. */
  private readonly workedOff = new Set<string>();
  /** Times from which shards with a parent are read. */
  private readonly found = new Map<string, number>();
  private readonly lanes = new Map<string, Lane<R>>();
  private readonly number = (name: string, otherwise: number): number => {
    const value = Number(this.resource.properties[name] ?? otherwise);
    return value < 0 ? Number.POSITIVE_INFINITY : value;
  };
  private polling = false;
  /** Records that can no longer be delivered: older than the stream keeps them, or given up without a destination. */
  readonly lost: R[] = [];

  constructor(
    resource: Resource,
    readonly reader: StreamReader<R>,
    fn: Consumer,
    private readonly around: {
      readonly world: EventLoop;
      readonly iam: Iam;
      /** Sends a batch that was given up to its destination. @returns whether there is one that takes it */
      readonly discard: (poller: EventSource, batch: DiscardedBatch) => boolean;
      /** Returns the identifier by which an answer names a record that failed. @default its sequence number */
      readonly identify?: (record: R) => string;
      /** Whether a batch is lost, which AWS excludes. @default none is */
      readonly loses?: (batch: string) => boolean;
    },
  ) {
    super(resource, fn, around, 'stream', KNOWN);
  }

  /**
   * Records that it has read and not yet worked off, oldest first in each part of a shard. No shard of a live account splits,
   * so none waits for its parent.
   */
  get unprocessed(): readonly R[] {
    this.read();
    return this.inWork;
  }

  private get inWork(): readonly R[] {
    return [...this.lanes.values()].flatMap(({ batches, records }) => [
      ...batches.flatMap((batch) => batch.records),
      ...records,
    ]);
  }

  /** Age of the oldest record that is not worked off, read or not, in milliseconds; 0 if there is none. It reads nothing. */
  get iteratorAge(): number {
    const { reader } = this;
    const open = reader.listShards().filter(({ shardId }) => !this.workedOff.has(shardId));
    const unread = open.flatMap(({ shardId }) => {
      const { records } = reader.readShard(shardId, this.positions.get(shardId), 1000);
      return records.filter((record) => this.fits(() => reader.filtered(record))).slice(0, 1);
    });
    return Math.max(0, ...[...unread, ...this.inWork].map((record) => this.age(record)));
  }

  /** Takes records over from another time of this table. */
  resume(records: readonly R[]): void {
    for (const record of records) this.enqueue('shardId-resumed', record);
    for (const lane of this.lanes.values()) this.next(lane);
  }

  /** The table may have new records. */
  wake(): void {
    const { world } = this.around;
    if (this.polling || !this.enabled) return;
    this.polling = true;
    // Lambda polls each shard 4 times a second; records join a batch for the whole of its window.
    const window = this.number('MaximumBatchingWindowInSeconds', 0) * 1000;
    const wait = world.latency((random) => random.between(10, 250), POLLED_AFTER) + window;
    world.after(wait, () => {
      this.polling = false;
      this.read();
    });
  }

  private read(): void {
    const { reader } = this;
    for (const right of reader.rights) if (!this.may(right, String(this.resource.properties.EventSourceArn))) return;
    const shards = reader.listShards();
    const listed = new Set(shards.map(({ shardId }) => shardId));
    for (const { shardId, parentShardId: parent } of shards) {
      if (this.workedOff.has(shardId)) continue;
      if (parent !== undefined && listed.has(parent) && !this.isFound(shardId, parent)) continue;
      for (;;) {
        const page = reader.readShard(shardId, this.positions.get(shardId), 1000);
        if (page.trimmed) this.around.world.note(`${this.resource.label} ${shardId}: records were LOST to age`);
        this.positions.set(shardId, page.next);
        for (const record of page.records) this.enqueue(shardId, record);
        if (page.ended) this.ended.add(shardId);
        if (page.records.length === 0) break;
      }
    }
    for (const lane of this.lanes.values()) this.next(lane);
    this.leaveWorkedOff();
  }

  /** Whether a shard may be read: its parent is worked off, and Lambda has found it since. */
  private isFound(shardId: string, parent: string): boolean {
    const { world } = this.around;
    if (!this.workedOff.has(parent)) return false;
    let at = this.found.get(shardId);
    if (at === undefined) {
      const wait = world.latency((random) => random.between(0, FOUND_WITHIN));
      at = world.now + wait;
      this.found.set(shardId, at);
      world.after(wait, () => this.wake());
    }
    return at <= world.now;
  }

  /** Forgets the shards that are read to their end and whose batches are done; then others follow. */
  private leaveWorkedOff(): void {
    for (const shardId of this.ended) {
      const lanes = [...this.lanes].filter(([, lane]) => lane.shardId === shardId);
      if (lanes.some(([, { busy }]) => busy)) continue;
      for (const [name] of lanes) this.lanes.delete(name);
      this.ended.delete(shardId);
      this.positions.delete(shardId);
      this.workedOff.add(shardId);
      this.wake();
    }
  }

  private enqueue(shardId: string, record: R): void {
    if (!this.fits(() => this.reader.filtered(record))) return;
    const key = createHash('sha256').update(this.reader.keyOf(record)).digest().readUInt32BE(0);
    // A lane that would only wait for an environment makes batches smaller.
    const lanes = Math.min(this.number('ParallelizationFactor', 1), this.fn.maxConcurrency);
    const name = `${shardId}/${key % lanes}`;
    const lane = this.lanes.get(name) ?? { shardId, records: [], busy: false, batches: [] };
    this.lanes.set(name, lane);
    lane.records.push(record);
  }

  private next(lane: Lane<R>): void {
    if (lane.busy || lane.records.length === 0) return;
    lane.busy = true;
    const records = lane.records.splice(0, this.number('BatchSize', 100));
    if (this.around.loses?.(`${this.label} batch ${++this.begun}`)) {
      this.lose(records);
      lane.busy = false;
      this.next(lane);
      return;
    }
    this.process(lane, [{ records, retries: 0, invocations: 0 }]);
  }
  private begun = 0;

  /** Processes batches of a lane in order; the next one waits until the previous one has succeeded or was given up. */
  private process(lane: Lane<R>, batches: readonly Batch<R>[]): void {
    const { world } = this.around;
    lane.batches = batches;
    const [batch, ...later] = batches;
    if (!batch) {
      lane.busy = false;
      this.next(lane);
      if (!lane.busy && this.ended.has(lane.shardId)) this.wake();
      return;
    }
    const young = batch.records.filter(
      (record) => this.age(record) <= this.number('MaximumRecordAgeInSeconds', -1) * 1000,
    );
    if (young.length < batch.records.length) {
      const old = batch.records.filter((record) => !young.includes(record));
      this.giveUp(lane, { ...batch, records: old }, 'RecordAgeExceeded');
      this.process(lane, [...(young.length > 0 ? [{ ...batch, records: young }] : []), ...later]);
      return;
    }
    if (batch.records.some((record) => this.age(record) > this.reader.retention)) {
      this.lose(batch.records);
      this.process(lane, later);
      return;
    }
    const source = String(this.resource.properties.EventSourceArn);
    const Records = batch.records.map((record) => this.reader.toEvent(record, source));
    const id = `${this.resource.label} batch ${++this.told}`;
    this.tell(id, batch.records, 'began', batch.invocations + 1);
    this.fn.invoke({ Records }, (result) => {
      const rest = this.rest(batch, result);
      this.tell(id, rest.length === 0 ? batch.records : rest, rest.length === 0 ? 'done' : outcomeOf(result));
      if (rest.length === 0) return this.process(lane, later);
      const counts = result.kind !== 'throttled';
      const retries = batch.retries + (counts ? 1 : 0);
      const invocations = batch.invocations + 1;
      if (retries > this.number('MaximumRetryAttempts', -1)) {
        this.giveUp(lane, { records: rest, retries, invocations }, 'RetryAttemptsExhausted');
        return this.process(lane, later);
      }
      const half = Math.ceil(rest.length / 2);
      const splits =
        result.kind === 'failed' && this.resource.properties.BisectBatchOnFunctionError === true && rest.length > 1;
      const again = splits ? [rest.slice(0, half), rest.slice(half)] : [rest];
      const wait = Math.min(60_000, 500 * 2 ** Math.min(retries, 7)) + world.random.between(0, 200);
      const retry = (): void =>
        this.process(lane, [...again.map((records) => ({ records, retries, invocations })), ...later]);
      world.after(wait, retry, `${this.resource.label}: a batch of records is tried again`);
    });
  }

  /** Returns the records to retry: all from the first failure on, as the function reports it. */
  private rest({ records }: Batch<R>, result: InvocationResult): readonly R[] {
    if (result.kind !== 'returned') return records;
    if (!this.reportsFailures) return [];
    const failed = parseBatchFailures(result.value);
    if (failed === undefined) return records;
    const { identify = (record: R) => this.reader.sequenceOf(record) } = this.around;
    const places = failed.map((id) => records.findIndex((record) => identify(record) === id));
    if (places.includes(-1)) return records;
    return failed.length === 0 ? [] : records.slice(Math.min(...places));
  }

  private giveUp({ shardId }: Lane<R>, { records, invocations }: Batch<R>, condition: string): void {
    const { world, discard } = this.around;
    const { reader } = this;
    const source = String(this.resource.properties.EventSourceArn);
    const times = [records[0], records.at(-1)].map((one) => one && new Date(reader.timeOf(one)).toISOString());
    const [first, last] = [records[0], records.at(-1)];
    const info = {
      shardId,
      startSequenceNumber: first && reader.sequenceOf(first),
      endSequenceNumber: last && reader.sequenceOf(last),
      approximateArrivalOfFirstRecord: times[0],
      approximateArrivalOfLastRecord: times[1],
      batchSize: records.length,
      streamArn: source,
    };
    const isSaved = discard(this, {
      condition,
      invocations,
      shardId,
      info: { [reader.batchInfo]: info },
      records: records.map((record) => reader.toEvent(record, source)),
    });
    if (!isSaved) {
      this.lose(records);
      return;
    }
    world.note(`${this.resource.label} gives ${records.length} records up: ${condition}`);
    this.tell(`${this.resource.label} batch ${this.told}`, records, 'given up');
  }

  private lose(records: readonly R[]): void {
    this.lost.push(...records);
    this.around.world.note(`${this.resource.label}: ${records.length} records LOST`);
    this.tell(`${this.resource.label} batch ${this.told}`, records, 'lost');
  }

  private told = 0;
  private tell(id: string, records: readonly R[], outcome: string, receiveCount?: number): void {
    this.around.world.tell(() => ({
      kind: 'record',
      owner: this.fn.label,
      id,
      outcome,
      records: records.length,
      ...(receiveCount !== undefined && { receiveCount }),
    }));
  }

  private age(record: R): number {
    return this.around.world.now - this.reader.timeOf(record);
  }
}

/** Returns what an invocation's result means for the records that come again. */
function outcomeOf(result: InvocationResult): string {
  if (result.kind === 'failed') return result.name === 'Sandbox.Lost' ? 'answer lost' : 'crashed';
  return result.kind === 'throttled' ? 'throttled' : 'postponed';
}
