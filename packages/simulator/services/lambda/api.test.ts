import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  GetFunctionCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  paginateListFunctions,
  ResourceNotFoundException,
  TooManyRequestsException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { allowStatement, arnOf, createCloud, functionResource, QUEUE_RIGHTS } from '../../support/clouds.js';

const FunctionName = 'Shop-Work';
const ECHO = `exports.handler = async (event) => {
  console.log('got ' + JSON.stringify(event));
  if (event.fail) throw new RangeError('as asked');
  return { event };
};`;

function shop(more = {}) {
  const cloud = createCloud(
    {
      ...functionResource('Work', [allowStatement(QUEUE_RIGHTS, arnOf('Queue'))], more),
      ...functionResource('Other'),
      Queue: { Type: 'AWS::SQS::Queue' },
      Mapping: MAPPING,
    },
    { Work: ECHO },
  );
  const { config, aws } = awsApiOf(cloud);
  return { cloud, aws, lambda: new LambdaClient(config) };
}
const MAPPING = {
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Work' } },
};

const sent = (event: object) => Buffer.from(JSON.stringify(event));
const text = (bytes: Uint8Array = new Uint8Array()) => Buffer.from(bytes).toString();

test("a function is invoked, and answers its value and its log's end", async () => {
  const { lambda } = shop();
  const invoke = new InvokeCommand({ FunctionName, Payload: sent({ a: 'é' }), LogType: 'Tail' });
  const { StatusCode, Payload, LogResult, FunctionError } = await lambda.send(invoke);
  expect([StatusCode, FunctionError, text(Payload)]).toEqual([200, undefined, '{"event":{"a":"é"}}']);
  expect(Buffer.from(LogResult ?? '', 'base64').toString()).toBe('got {"a":"é"}\n');
});

test("a function's error is an answer", async () => {
  const { lambda } = shop();
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: sent({ fail: true }) }),
  );
  expect(FunctionError).toBe('Unhandled');
  expect(JSON.parse(text(Payload))).toMatchObject({ errorType: 'RangeError', errorMessage: 'as asked' });
});

test('an asynchronous invocation is accepted, and its function retried', async () => {
  const { lambda, cloud } = shop();
  const invoke = {
    FunctionName: `arn:aws:lambda:eu-west-1:123456789012:function:${FunctionName}`,
    Payload: sent({ fail: true }),
  };
  expect((await lambda.send(new InvokeCommand({ ...invoke, InvocationType: 'Event' }))).StatusCode).toBe(202);
  expect(cloud.log.filter(({ text }) => text.startsWith('got'))).toHaveLength(3);
  expect((await lambda.send(new InvokeCommand({ ...invoke, InvocationType: 'DryRun' }))).StatusCode).toBe(204);
  expect(cloud.log.filter(({ text }) => text.startsWith('got'))).toHaveLength(3);
});

test('a request that AWS refuses is refused', async () => {
  const { lambda } = shop({ ReservedConcurrentExecutions: 0 });
  await expect(lambda.send(new InvokeCommand({ FunctionName }))).rejects.toThrow(TooManyRequestsException);
  await expect(lambda.send(new InvokeCommand({ FunctionName: 'none' }))).rejects.toThrow(ResourceNotFoundException);
  const garbage = lambda.send(new InvokeCommand({ FunctionName, Payload: Buffer.from('{') }));
  await expect(garbage).rejects.toMatchObject({ name: 'InvalidRequestContentException' });
});

test('concurrency is reserved for a function, and given back: 0 stops it', async () => {
  const { lambda, cloud } = shop();
  const reserved = async () =>
    (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }))).ReservedConcurrentExecutions;
  const reserve = (ReservedConcurrentExecutions: number) =>
    lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
  expect(await reserved()).toBeUndefined();
  await reserve(0);
  expect(await reserved()).toBe(0);
  await expect(lambda.send(new InvokeCommand({ FunctionName }))).rejects.toThrow(TooManyRequestsException);
  await reserve(900);
  expect(cloud.unreserved.limit).toBe(100);
  await expect(reserve(901)).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
  await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  expect([await reserved(), cloud.unreserved.limit]).toEqual([undefined, 1000]);
  await expect(lambda.send(new InvokeCommand({ FunctionName }))).resolves.toMatchObject({ StatusCode: 200 });
});

test('functions are listed and described', async () => {
  const { lambda } = shop({ LoggingConfig: { LogGroup: 'work-lines' } });
  const groups: Record<string, string | undefined> = {};
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda, pageSize: 1 }, {})) {
    for (const { FunctionName = '', LoggingConfig } of Functions) groups[FunctionName] = LoggingConfig?.LogGroup;
  }
  expect(groups).toEqual({ [FunctionName]: 'work-lines', 'Shop-Other': '/aws/lambda/Shop-Other' });
  const { Configuration } = await lambda.send(new GetFunctionCommand({ FunctionName }));
  expect(Configuration).toMatchObject({ FunctionName, State: 'Active', Timeout: 10, Handler: 'index.handler' });
  const { $metadata, ...configuration } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  expect(configuration).toEqual(Configuration);
});

test('the reserved concurrency of a function is readable', async () => {
  const { lambda } = shop({ ReservedConcurrentExecutions: 7 });
  const reserved = async (name: string) =>
    (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName: name }))).ReservedConcurrentExecutions;
  expect([await reserved(FunctionName), await reserved('Shop-Other')]).toEqual([7, undefined]);
});

test('an event source mapping is disabled, and enabled again', async () => {
  const { lambda, cloud } = shop();
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
  const [{ UUID } = {}] = EventSourceMappings;
  const off = await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
  expect(off.State).toBe('Disabling');
  expect((await lambda.send(new GetEventSourceMappingCommand({ UUID }))).State).toBe('Disabled');
  cloud.queue('Shop/Queue').send({ body: 'a' });
  await cloud.world.settle();
  expect(cloud.log).toEqual([]);
  const on = await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }));
  expect(on.State).toBe('Enabling');
  expect(cloud.log).toHaveLength(1);
  expect(await lambda.send(new GetEventSourceMappingCommand({ UUID }))).toMatchObject({
    State: 'Enabled',
    EventSourceArn: cloud.queue('Shop/Queue').resource.arn,
  });
  const other = lambda.send(new UpdateEventSourceMappingCommand({ UUID, BatchSize: 3 }));
  await expect(other).rejects.toThrow("The simulator doesn't model this: BatchSize");
});
