import type { Assembly, Resource } from '../assembly/assembly.js';
import type { EventLoop } from '../engine/event-loop.js';
import type { DynamoDbModel } from '../services/dynamodb/model.js';
import type { StreamRecord } from '../services/dynamodb/wire.js';
import type { Iam } from '../services/iam/model.js';
import type { KinesisStreams } from '../services/kinesis/model.js';
import type { Consumer } from '../services/lambda/consumer.js';
import { DiscardedBatches } from '../services/lambda/discarded-batch.js';
import type { EventSource } from '../services/lambda/event-source.js';
import { KinesisReader } from '../services/lambda/kinesis-reader.js';
import type { Load } from '../services/lambda/load.js';
import type { LambdaFunction } from '../services/lambda/model.js';
import { QueueMapping } from '../services/lambda/queue-mapping.js';
import { StreamMapping } from '../services/lambda/stream-mapping.js';
import { type StreamReader, TableStreamReader } from '../services/lambda/stream-reader.js';
import type { Pipe } from '../services/pipes/pipe.js';
import type { Buckets } from '../services/s3/model.js';
import type { Topics } from '../services/sns/model.js';
import type { Queue } from '../services/sqs/model.js';

/** Parts of an account that pollers need. */
interface Around {
  readonly world: EventLoop;
  readonly iam: Iam;
  readonly dynamodb: DynamoDbModel;
  readonly buckets: Buckets;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly topics: Topics;
  readonly kinesis: KinesisStreams;
  readonly load: Load | undefined;
  /** Whether a batch of a stream is lost, which AWS excludes. @default none is */
  readonly loses: ((batch: string) => boolean) | undefined;
}

/** An event source mapping. */
export type FunctionSource = EventSource & { readonly fn: LambdaFunction };

/** The pollers of an account's queues and streams: event source mappings of functions, and pipes. */
export class Pollers {
  readonly mappings: FunctionSource[] = [];
  /** Those of tables' streams. */
  readonly streams: StreamMapping<StreamRecord>[] = [];
  private readonly byTable = new Map<string, StreamMapping<StreamRecord>[]>();
  private readonly discarded: DiscardedBatches;

  constructor(private readonly around: Around) {
    this.discarded = new DiscardedBatches(around);
  }

  /** Makes the poller of an event source mapping. @throws {Error} names what isn't modelled */
  map(mapping: Resource, functions: ReadonlyMap<string, LambdaFunction>, assembly: Assembly): void {
    const { FunctionName } = mapping.properties;
    const fn = functions.get(assembly.findByArn(FunctionName).arn);
    if (!fn) throw new Error(`${mapping.label}: no function ${String(FunctionName)}`);
    this.mappings.push(this.poll(mapping, fn) as FunctionSource);
  }

  /** Makes the poller of a pipe. @throws {Error} names what isn't modelled */
  connect(pipe: Pipe): void {
    this.poll(pipe.definition.mapping, pipe);
  }

  /** The stream of a table may have new records. */
  wakeStreamsOf(table: string): void {
    for (const stream of this.byTable.get(table) ?? []) stream.wake();
  }

  private poll(mapping: Resource, consumer: Consumer): EventSource {
    const { world, iam, load, queues, dynamodb } = this.around;
    const source = String(mapping.properties.EventSourceArn);
    const queue = queues.get(source);
    if (queue) return new QueueMapping(mapping, queue, consumer, { world, iam, load });
    const data = this.around.kinesis.find(source);
    if (data) {
      const poller = this.read(mapping, new KinesisReader(data, consumer.role), consumer);
      data.onRecords(() => poller.wake());
      return poller;
    }
    const [, table] = /:table\/([^/]+)\/stream\//.exec(source) ?? [];
    if (table === undefined) throw new Error(`${mapping.label}: event source ${source}`);
    const stream = this.read(mapping, new TableStreamReader(dynamodb, table), consumer);
    this.streams.push(stream);
    this.byTable.set(table, [...(this.byTable.get(table) ?? []), stream]);
    return stream;
  }

  private read<R>(mapping: Resource, reader: StreamReader<R>, consumer: Consumer): StreamMapping<R> {
    const { world, iam, loses } = this.around;
    const isPipe = mapping.type === 'AWS::Pipes::Pipe';
    return new StreamMapping(mapping, reader, consumer, {
      world,
      iam,
      discard: (poller, batch) => this.discarded.send(poller, batch),
      ...(isPipe && { identify: (record: R) => reader.idOf(record) }),
      ...(loses && { loses }),
    });
  }
}
