import { expect, test } from 'vitest';
import { AssemblyNotModelled } from '../../assembly/obstacles.js';
import type { CloudOptions } from '../../cloud/cloud-options.js';
import { type FaultKind, FixedFaults } from '../../engine/faults.js';
import { Bundle } from '../../runtime/bundle.js';
import { allowStatement, arnOf, createCloud, functionResource, STREAM_RIGHTS } from '../../support/clouds.js';
import type { InvocationResult } from './model.js';

const one = (code: string, more: Record<string, number> = {}, fault?: { point: string; kind: FaultKind }) => {
  const cloud = createCloud(
    functionResource('Work', [], more),
    { Work: code },
    { faults: new FixedFaults(fault ? [fault] : []) },
  );
  const invoke = async (event: unknown = {}): Promise<InvocationResult | undefined> => {
    let result: InvocationResult | undefined;
    cloud.fn('Shop/Work').invoke(event, (how) => (result = how));
    await cloud.world.settle();
    return result;
  };
  return { cloud, invoke };
};

test('a warm environment keeps its module state, a killed one loses it', async () => {
  const { invoke } = one(
    'let count = 0; exports.handler = async (event) => event.hang ? new Promise(() => {}) : ++count;',
  );
  expect(await invoke()).toEqual({ kind: 'returned', value: 1 });
  expect(await invoke()).toEqual({ kind: 'returned', value: 2 });
  expect(await invoke({ hang: true })).toMatchObject({ kind: 'failed', name: 'Sandbox.Timedout' });
  expect(await invoke()).toEqual({ kind: 'returned', value: 1 });
});

test('an environment that was idle for long is gone', async () => {
  const { cloud, invoke } = one('let count = 0; exports.handler = async () => ++count;');
  await invoke();
  await cloud.world.pass(3_600_000);
  expect(await invoke()).toEqual({ kind: 'returned', value: 1 });
});

test('an update changes code or variables from the next invocation on, and what runs ends as it began', async () => {
  const cloud = createCloud(functionResource('Work'), {
    Work: "exports.handler = (event) => new Promise((done) => setTimeout(() => done(process.env.WORD ?? 'none'), 100));",
  });
  const work = cloud.fn('Shop/Work');
  const results: unknown[] = [];
  const invoke = (): void => work.invoke({}, (result) => results.push(result.kind === 'returned' && result.value));
  invoke();
  await cloud.world.settle();
  invoke();
  work.update({ variables: { ...work.variables, WORD: 'new' } });
  await cloud.world.settle();
  invoke();
  await cloud.world.settle();
  work.update({ bundle: new Bundle('Work', "exports.handler = async () => 'code, ' + process.env.WORD;") });
  invoke();
  await cloud.world.settle();
  expect(results).toEqual(['none', 'none', 'new', 'code, new']);
});

test('a function that fails at its start is a failed invocation', async () => {
  const { invoke } = one("throw new TypeError('no table');");
  expect(await invoke()).toEqual({ kind: 'failed', name: 'TypeError', message: 'no table' });
});

test('a function above its reserved concurrency is throttled', async () => {
  const { cloud } = one('exports.handler = () => new Promise((resolve) => setTimeout(resolve, 100));', {
    ReservedConcurrentExecutions: 1,
  });
  const results: string[] = [];
  for (let number = 0; number < 2; number++) cloud.fn('Shop/Work').invoke({}, ({ kind }) => results.push(kind));
  await cloud.world.settle();
  expect(results.sort()).toEqual(['returned', 'throttled']);
});

test('all other functions of the account share the concurrency that no function has reserved', async () => {
  const code = 'exports.handler = () => new Promise((resolve) => setTimeout(resolve, 1000));';
  const cloud = createCloud(
    {
      ...functionResource('One'),
      ...functionResource('Other'),
      ...functionResource('Own', [], { ReservedConcurrentExecutions: 900 }),
    },
    { One: code, Other: code, Own: code },
  );
  const results = new Map<string, number>();
  const invoke = (name: string): void =>
    cloud.fn(`Shop/${name}`).invoke({}, ({ kind }) => {
      const key = name === 'Own' ? `own ${kind}` : kind;
      results.set(key, (results.get(key) ?? 0) + 1);
    });
  for (let number = 0; number < 60; number++) for (const name of ['One', 'Other']) invoke(name);
  invoke('Own');
  await cloud.world.settle();
  expect(Object.fromEntries(results)).toEqual({ returned: 100, throttled: 20, 'own returned': 1 });
});

test('an account does not let its functions reserve all of its concurrency', () => {
  const code = 'exports.handler = async () => 1;';
  const reserving = functionResource('Greedy', [], { ReservedConcurrentExecutions: 901 });
  expect(() => createCloud(reserving, { Greedy: code })).toThrow('99 are left');
});

test('a lost result is a failure for the caller, although the work was done', async () => {
  const { cloud, invoke } = one(
    "exports.handler = async () => console.log('done');",
    {},
    { point: 'Shop/Work invocation 1', kind: 'result-lost' },
  );
  expect(await invoke()).toMatchObject({ kind: 'failed' });
  expect(cloud.log.map(({ text }) => text)).toEqual(['done']);
});

test('a resource type without a model is refused by name', () => {
  expect(() => createCloud({ Cluster: { Type: 'AWS::ECS::Cluster' } })).toThrow(AssemblyNotModelled);
  expect(() => createCloud({ Cluster: { Type: 'AWS::ECS::Cluster' } })).toThrow(/AWS::ECS::Cluster \(Shop\/Cluster\)/);
});

const KEY = {
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
};

function streaming(code: string, mapping: Record<string, unknown>, options: Partial<CloudOptions> = {}) {
  const cloud = createCloud(
    {
      Table: {
        Type: 'AWS::DynamoDB::GlobalTable',
        Properties: {
          ...KEY,
          BillingMode: 'PAY_PER_REQUEST',
          Replicas: [{ Region: 'eu-west-1' }],
          StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
        },
      },
      Saved: { Type: 'AWS::S3::Bucket', Properties: {} },
      ...functionResource('Relay', [
        allowStatement(STREAM_RIGHTS, { 'Fn::GetAtt': ['Table', 'StreamArn'] }),
        allowStatement(['s3:PutObject'], { 'Fn::Join': ['', [arnOf('Saved'), '/aws/lambda/*']] }),
      ]),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
          FunctionName: { Ref: 'Relay' },
          StartingPosition: 'TRIM_HORIZON',
          ...(mapping as object),
        },
      },
    },
    { Relay: code },
    options,
  );
  const put = (pk: string, value: string): void => {
    cloud.dynamodb.call('PutItem', { TableName: 'Shop-Table', Item: { pk: { S: pk }, value: { S: value } } });
    cloud.streams[0]?.wake();
  };
  return { cloud, put, said: () => cloud.log.flatMap(({ level, text }) => (level === 'error' ? [] : text)) };
}

const LOG =
  'exports.handler = async ({ Records }) => { for (const { dynamodb } of Records) console.log(dynamodb.NewImage.pk.S + dynamodb.NewImage.value.S);';

test('records of one item arrive in their order, also after failures', async () => {
  const code = `let tries = 0; ${LOG} if (++tries < 3) throw new Error('no'); };`;
  const { cloud, put, said } = streaming(code, { BatchSize: 1, ParallelizationFactor: 10 });
  for (const value of ['1', '2', '3']) put('a', value);
  await cloud.world.settle();
  expect(said()).toEqual(['a1', 'a1', 'a1', 'a2', 'a3']);
});

test('a child shard waits until its parent is worked off, also while the parent fails', async () => {
  const age = 'Date.now() / 1000 - Records[0].dynamodb.ApproximateCreationDateTime';
  const fails = `if (Records[0].dynamodb.NewImage.value.S === '1' && ${age} < 60) throw new Error('no');`;
  const code = `${LOG.replace('{ for', `{ ${fails} for`)} };`;
  const { cloud, put, said } = streaming(code, { BatchSize: 1 }, { seed: '2', shardChanges: 0.3 });
  const items = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const value of ['1', '2', '3', '4']) for (const item of items) put(item, value);
  await cloud.world.settle();
  expect(cloud.dynamodb.listShards('Shop-Table').length).toBeGreaterThan(8);
  for (const item of items)
    expect(said().filter((text) => text.startsWith(item))).toEqual([1, 2, 3, 4].map((at) => item + at));
});

test('a batch is split until the record that fails is alone, and is saved when it is given up', async () => {
  const code =
    "exports.handler = async ({ Records }) => { for (const { dynamodb } of Records) { if (dynamodb.NewImage.pk.S === 'bad') throw new Error('bad'); } };";
  const { cloud, put } = streaming(code, {
    BisectBatchOnFunctionError: true,
    MaximumRetryAttempts: 5,
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Saved', 'Arn'] } } },
  });
  for (const pk of ['a', 'bad', 'c', 'd']) put(pk, '');
  await cloud.world.settle();
  const [saved, ...more] = [...cloud.buckets.all().values()].map((body) => JSON.parse(body));
  expect(more).toEqual([]);
  expect(saved.requestContext.condition).toBe('RetryAttemptsExhausted');
  expect(
    JSON.parse(saved.payload).Records.map(({ dynamodb }: { dynamodb: { Keys: unknown } }) => dynamodb.Keys),
  ).toEqual([{ pk: { S: 'bad' } }]);
});

test('all records from the first failure on come again', async () => {
  const code = `let calls = 0; ${LOG} if (++calls === 1) return { batchItemFailures: [{ itemIdentifier: Records[1].dynamodb.SequenceNumber }] }; };`;
  const { cloud, put, said } = streaming(code, { FunctionResponseTypes: ['ReportBatchItemFailures'] });
  for (const value of ['1', '2', '3']) put('a', value);
  await cloud.world.settle();
  expect(said()).toEqual(['a1', 'a2', 'a3', 'a2', 'a3']);
});

test('records that are too old are given up; without a destination they are lost, and the trace says so', async () => {
  const { cloud, put } = streaming("exports.handler = async () => { throw new Error('no'); };", {
    MaximumRecordAgeInSeconds: 3600,
  });
  put('a', '1');
  await cloud.world.settle();
  expect(cloud.streams[0]?.lost).toHaveLength(1);
  expect(cloud.world.trace.lines.some((line) => line.includes('LOST'))).toBe(true);
});

test('a function does what its role allows, and nothing else', async () => {
  const cloud = createCloud(functionResource('Work', [allowStatement(['dynamodb:PutItem'], arnOf('Work'))]), {
    Work: 'exports.handler = async () => 1;',
  });
  const role = cloud.fn('Shop/Work').role;
  const resource = cloud.fn('Shop/Work').resource.arn;
  expect(cloud.iam.listUnused()).toEqual(['Shop/WorkPolicy: dynamodb:PutItem']);
  expect(cloud.iam.roleAllows(role, { action: 'dynamodb:GetItem', resource })).toBe(false);
  expect(cloud.iam.roleAllows(role, { action: 'dynamodb:PutItem', resource: 'other' })).toBe(false);
  expect(cloud.iam.roleAllows(role, { action: 'dynamodb:PutItem', resource })).toBe(true);
  expect(cloud.iam.listUnused()).toEqual([]);
});

test.each([
  ['exports.handler = async () => 1;'],
  ['exports.handler = (event, context, callback) => { callback(null, 1); };'],
  ['exports.handler = async () => process.exit(1);'],
])('an error of what follows an invocation ends the history, and is none of the function: %s', async (code) => {
  const { cloud } = one(code);
  cloud.fn('Shop/Work').invoke({}, () => {
    throw new Error('of the simulator');
  });
  await expect(cloud.world.settle()).rejects.toThrow('of the simulator');
  expect(cloud.log.filter(({ text }) => text.includes('of the simulator'))).toEqual([]);
});
