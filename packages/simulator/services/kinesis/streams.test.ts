import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type FaultKind, FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource } from '../../support/clouds.js';
import { listMessages, pipeResource, SOURCE } from '../../support/pipes.js';

const stream = (more: object = {}) => ({
  Type: 'AWS::Kinesis::Stream',
  Properties: { Name: 'clicks', ShardCount: 2, ...more },
});
const READ = ['kinesis:GetRecords', 'kinesis:GetShardIterator', 'kinesis:DescribeStream'];
const KEEPS = 'exports.handler = async ({ Records }) => { console.log(JSON.stringify(Records)); };';
const mapped = (more: object = {}, rights = READ) => ({
  Stream: stream(),
  ...functionResource('Work', [allowStatement(rights, arnOf('Stream')), allowStatement(['sqs:SendMessage'], '*')]),
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: arnOf('Stream'), FunctionName: { Ref: 'Work' }, StartingPosition: 'LATEST', ...more },
  },
});
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

async function play(
  cloud: ReturnType<typeof createCloud>,
  ...records: readonly (readonly [key: string, data: unknown])[]
) {
  for (const [key, data] of records) cloud.kinesis.findByName('clicks')?.put(key, base64(data));
  await cloud.world.settle();
  return cloud;
}
const recordsOf = ({ log }: ReturnType<typeof createCloud>) =>
  log.map(
    ({ text }) => JSON.parse(text) as readonly { kinesis: { partitionKey: string; data: string }; eventID: string }[],
  );

test('a partition key decides over the shard, by its MD5 hash', () => {
  const clicks = createCloud({ Stream: stream() }).kinesis.findByName('clicks');
  for (const key of ['a', 'b', 'c', 'd']) {
    const isUpper = createHash('md5').update(key).digest()[0]! >= 128;
    expect(clicks?.put(key, '').shardId).toBe(`shardId-00000000000${Number(isUpper)}`);
  }
  expect(clicks?.put('a', '', 0n).shardId).toBe('shardId-000000000000');
  const onDemand = createCloud({ Stream: stream({ StreamModeDetails: { StreamMode: 'ON_DEMAND' } }) });
  expect(onDemand.kinesis.findByName('clicks')?.shards).toHaveLength(4);
});

test('records of a shard reach a function in order, in batches', async () => {
  const records = Array.from({ length: 5 }, (_, at) => ['a', at] as const);
  const cloud = await play(createCloud(mapped({ BatchSize: 2 }), { Work: KEEPS }), ...records);
  const batches = recordsOf(cloud);
  expect(batches.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(batches.flat().map(({ kinesis }) => Buffer.from(kinesis.data, 'base64').toString())).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
  ]);
  expect(batches[0]?.[0]).toMatchObject({
    eventSource: 'aws:kinesis',
    eventID: expect.stringMatching(/^shardId-0{11}[01]:49\d{54}$/),
    kinesis: { partitionKey: 'a', kinesisSchemaVersion: '1.0' },
  });
});

test('a filter sees the data of a record as JSON', async () => {
  const FilterCriteria = { Filters: [{ Pattern: '{"data":{"kind":["click"]}}' }] };
  const cloud = await play(
    createCloud(mapped({ FilterCriteria }), { Work: KEEPS }),
    ['a', { kind: 'click' }],
    ['a', { kind: 'key' }],
  );
  expect(recordsOf(cloud).flat()).toHaveLength(1);
});

test('a batch that fails holds its shard up, is retried, and is then described in the destination', async () => {
  const DestinationConfig = { OnFailure: { Destination: arnOf('Dead') } };
  const code = `exports.handler = async ({ Records }) => {
    const data = Records.map(({ kinesis }) => Buffer.from(kinesis.data, 'base64').toString());
    console.log(JSON.stringify(data));
    if (data.includes('"bad"')) throw new Error('bad');
  };`;
  const mapping = { BatchSize: 1, MaximumRetryAttempts: 2, DestinationConfig };
  const cloud = await play(
    createCloud({ Dead: SOURCE.Dead, ...mapped(mapping) }, { Work: code }),
    ['a', 'bad'],
    ['a', 'good'],
  );
  expect(cloud.log.map(({ text }) => text).filter((text) => text.startsWith('['))).toEqual([
    ...Array(3).fill('["\\"bad\\""]'),
    '["\\"good\\""]',
  ]);
  expect(listMessages(cloud, 'Dead')).toMatchObject([
    {
      requestContext: { condition: 'RetryAttemptsExhausted' },
      KinesisBatchInfo: { batchSize: 1, shardId: expect.any(String) },
    },
  ]);
});

test('a function names the record from which a batch comes again', async () => {
  const code = `let tries = 0; exports.handler = async ({ Records }) => {
    console.log(JSON.stringify(Records));
    return { batchItemFailures: tries++ === 0 ? [{ itemIdentifier: Records[1].kinesis.sequenceNumber }] : [] };
  };`;
  const mapping = { FunctionResponseTypes: ['ReportBatchItemFailures'] };
  const cloud = await play(createCloud(mapped(mapping), { Work: code }), ['a', 1], ['a', 2], ['a', 3]);
  expect(recordsOf(cloud).map(({ length }) => length)).toEqual([3, 2]);
});

test('a function without the rights to the stream gets nothing', async () => {
  const cloud = await play(createCloud(mapped({}, ['kinesis:GetRecords']), { Work: KEEPS }), ['a', 1]);
  expect(cloud.log).toEqual([]);
});

test('records are gone after the retention of their stream', async () => {
  const cloud = await play(createCloud({ Stream: stream() }), ['a', 1]);
  const clicks = cloud.kinesis.findByName('clicks')!;
  const read = () => clicks.shards.flatMap((shard) => clicks.read(shard, undefined, 10).records);
  expect(read()).toHaveLength(1);
  await cloud.world.pass(24 * 3_600_000 + 1);
  expect(read()).toEqual([]);
  expect(clicks.shards.map((shard) => clicks.read(shard, undefined, 10).trimmed)).toContain(true);
});

/** A function that puts two records. */
const puts = `${CLIENT} exports.handler = async () => console.log(JSON.stringify((await call('Kinesis_20131202.PutRecords', {
  StreamName: 'clicks', Records: [{ PartitionKey: 'a', Data: 'MQ==' }, { PartitionKey: 'a', Data: 'Mg==' }],
})).body));`;
const taken = async (actions: readonly string[], kind?: FaultKind) => {
  const faults = new FixedFaults(kind ? [{ point: 'Shop/Work call 1', kind }] : []);
  const resources = { Stream: stream(), ...functionResource('Work', [allowStatement(actions, arnOf('Stream'))]) };
  const cloud = createCloud(resources, { Work: puts }, { faults });
  cloud.fn('Shop/Work').invoke({}, () => undefined);
  await cloud.world.settle();
  return {
    answer: JSON.parse(cloud.log[0]?.text ?? 'null') as object,
    records: cloud.kinesis.findByName('clicks')?.taken,
  };
};

test('a function puts records, if it may; one of them may be refused in an answer that is no error', async () => {
  expect(await taken(['kinesis:PutRecords'])).toMatchObject({ answer: { FailedRecordCount: 0 }, records: 2 });
  expect(await taken(['kinesis:PutRecords'], 'entry-refused')).toMatchObject({
    answer: {
      FailedRecordCount: 1,
      Records: [{ ErrorCode: 'InternalFailure' }, { SequenceNumber: expect.any(String) }],
    },
    records: 1,
  });
  expect(await taken(['kinesis:PutRecord'])).toMatchObject({ answer: { __type: 'AccessDeniedException' }, records: 0 });
});

test('a pipe moves records from one stream to another', async () => {
  const parameters = {
    InputTemplate: '{"kind": <$.data.kind>}',
    KinesisStreamParameters: { PartitionKey: '$.data.user' },
  };
  const cloud = await play(
    createCloud({
      Stream: stream(),
      Out: stream({ Name: 'kinds' }),
      ...pipeResource({
        Source: arnOf('Stream'),
        SourceParameters: { KinesisStreamParameters: { StartingPosition: 'LATEST' } },
        Target: arnOf('Out'),
        TargetParameters: parameters,
      }),
    }),
    ['a', { kind: 'click', user: 'vera' }],
  );
  const out = cloud.kinesis.findByName('kinds')!;
  expect(out.shards.flatMap((shard) => out.read(shard, undefined, 10).records)).toMatchObject([
    { partitionKey: 'vera', data: base64({ kind: 'click' }) },
  ]);
});

/** A pipe from the stream to a function, and a queue for what it gives up. */
const piped = (parameters: object) => ({
  Stream: stream(),
  Dead: SOURCE.Dead,
  ...functionResource('Work'),
  ...pipeResource({
    Source: arnOf('Stream'),
    SourceParameters: { KinesisStreamParameters: { StartingPosition: 'LATEST', ...parameters } },
    Target: arnOf('Work'),
  }),
});

test('the target of a pipe names the record from which a batch comes again by the id of its event', async () => {
  const code = `let tries = 0; exports.handler = async (records) => {
    console.log(JSON.stringify(records));
    return { batchItemFailures: tries++ === 0 ? [{ itemIdentifier: records[1].eventID }] : [] };
  };`;
  const cloud = await play(createCloud(piped({}), { Work: code }), ['a', 1], ['a', 2], ['a', 3]);
  expect(recordsOf(cloud).map(({ length }) => length)).toEqual([3, 2]);
});

test('a pipe halves a batch that fails until the record alone is given up', async () => {
  const code = `exports.handler = async (records) => {
    if (records.some(({ data }) => Buffer.from(data, 'base64').toString() === '3')) throw new Error('no');
  };`;
  const parameters = {
    MaximumRetryAttempts: 3,
    OnPartialBatchItemFailure: 'AUTOMATIC_BISECT',
    DeadLetterConfig: { Arn: arnOf('Dead') },
  };
  const cloud = await play(createCloud(piped(parameters), { Work: code }), ['a', 1], ['a', 2], ['a', 3], ['a', 4]);
  expect(listMessages(cloud, 'Dead')).toMatchObject([{ KinesisBatchInfo: { batchSize: 1 } }]);
});

test('tumbling windows and consumers are named', () => {
  expect(() => createCloud(mapped({ TumblingWindowInSeconds: 60 }))).toThrow("TumblingWindowInSeconds isn't modelled");
  const consumer = {
    Type: 'AWS::Kinesis::StreamConsumer',
    Properties: { StreamARN: arnOf('Stream'), ConsumerName: 'fast' },
  };
  expect(() => createCloud({ Stream: stream(), Consumer: consumer })).toThrow('AWS::Kinesis::StreamConsumer');
});
