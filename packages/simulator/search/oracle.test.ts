import { describe, expect, test } from 'vitest';
import { loadDeployment } from '../cloud/cloud.js';
import { apiMethod, createApi, integrationUri } from '../support/apis.js';
import {
  allowStatement,
  arnOf,
  CLIENT,
  createCloud,
  functionResource,
  TABLE,
  writeAssembly,
} from '../support/clouds.js';
import { counting, writeQueueShop } from '../support/queue-shop.js';
import { groupFindings } from './findings.js';
import { renderLearned } from './findings-files.js';
import { makeOracle } from './oracle.js';
import { PROMISES } from './promises.js';
import { searchApp } from './search-app.js';
import { AppDoesNotAnswer } from './send-requests.js';
import { doStep } from './steps.js';
import type { Step } from './stimulus.js';

const REQUESTS = [
  { name: 'POST /', method: 'POST', path: '/', headers: {}, body: '{"id":"lamp"}' },
  { name: 'POST /', method: 'POST', path: '/', headers: {}, body: '{"id":"desk"}' },
];

const search = async (worker: string, more?: Parameters<typeof writeQueueShop>[1]) => {
  const deployment = loadDeployment(writeQueueShop(worker, more));
  const { scenario, ...learned } = await makeOracle(deployment, REQUESTS);
  const share = { part: 0, of: 1 };
  const { broken } = await searchApp(deployment, scenario, {
    share,
    seeds: 0,
    without: [],
    onProgress: () => undefined,
  });
  return { ...learned, broken, findings: groupFindings(broken) };
};

describe('an app that counts a message each time that it comes', () => {
  test('breaks the promise of its tables, and the finding names the cause', async () => {
    const { findings, leftOut, repeats } = await search(counting(false));
    const counted = findings.find(({ kind }) => kind === 'duplicate');
    expect(counted).toMatchObject({ promise: PROMISES.tables, construct: expect.stringContaining('Queue') });
    expect(counted?.shortest.violations[0]?.detail).toContain('"orders":3');
    const lost = findings.find(({ kind, construct }) => kind === 'killed-after' && construct === 'Shop/Work');
    expect(lost?.shortest.cause).toMatch(/^At Shop\/Work call \d \(dynamodb\.\w+\) the function died after its call/);
    // Times and random values are no difference.
    expect(leftOut).toEqual(['Shop/Table: at', 'Shop/Table: lot']);
    expect(repeats).toMatchObject([
      {
        scenario: 'request 1 twice: POST /',
        violations: [{ promise: PROMISES.repeats, detail: expect.stringContaining('"orders":3') }],
        lines: expect.arrayContaining([expect.stringMatching(/ client POST \/$/)]),
      },
      { scenario: 'request 2 twice: POST /' },
    ]);
  });
});

test('messages that end in a dead-letter queue even without faults are named, with the first error', async () => {
  const { parked, broken } = await search(`exports.handler = async () => { throw new Error('the shop is closed'); };`);
  expect(parked).toEqual([
    expect.stringMatching(/^Shop\/Dead \(2 messages; first error: Shop\/Work: .*the shop is closed/),
  ]);
  expect(broken).toEqual([]);
});

/** Decision 0337. */
test('a bus of another account that gets events is named: nobody knows its receivers', async () => {
  const bus = 'arn:aws:events:eu-west-1:999999999999:event-bus/partners';
  const entry = { EventBusName: bus, Source: 'shop', DetailType: 'Sold', Detail: '{}' };
  const code = `${CLIENT} exports.handler = () => call('AWSEvents.PutEvents', { Entries: [${JSON.stringify(entry)}] });`;
  const work = functionResource('Work', [allowStatement(['events:PutEvents'], bus)]);
  const deployment = loadDeployment(writeAssembly(work, { Work: code }));
  const oracle = await makeOracle(deployment, [{ name: 'sell', step: { invoke: 'Shop/Work', payload: {} } }]);
  expect(renderLearned(oracle)).toContain(
    `Not looked at: what receives the events of ${bus}, a bus of another account`,
  );
});

test('what an app decides by chance in few of its histories is no finding', async () => {
  // One of ten orders gets another state: the first three histories don't show it.
  const worker = `${CLIENT}
  exports.handler = async ({ Records: [{ body }] }) => {
    const state = Math.floor(Math.random() * 10) === 1 ? 'refused' : 'paid';
    const Item = { pk: { S: JSON.parse(body).id }, state: { S: state } };
    const ConditionExpression = 'attribute_not_exists(pk)';
    const { status, body: answer } = await call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item, ConditionExpression });
    if (status !== 200 && !JSON.stringify(answer).includes('ConditionalCheckFailed')) throw new Error('not written');
  };`;
  const { broken, leftOut } = await search(worker);
  expect(leftOut).toEqual(['Shop/Table: state']);
  expect(broken).toEqual([]);
});

test('a time in whole seconds is no value that a fault changes', async () => {
  const worker = `${CLIENT}
  exports.handler = async ({ Records: [{ body }] }) => {
    const ttl = { N: String(Math.floor(Date.now() / 1000) + 65) };
    const Item = { pk: { S: JSON.parse(body).id }, ttl };
    const { status } = await call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item });
    if (status !== 200) throw new Error('not written');
  };`;
  const { broken, leftOut } = await search(worker);
  expect(leftOut).toEqual(['Shop/Table: ttl']);
  expect(broken).toEqual([]);
});

test('nothing meets a transaction in an app that makes none', async () => {
  const kinds = async (once: boolean) =>
    (await makeOracle(loadDeployment(writeQueueShop(counting(once))), REQUESTS)).scenario.impossible;
  expect(await kinds(false)).toEqual(['conflict']);
  expect(await kinds(true)).toEqual([]);
  const { findings } = await search(counting(false));
  expect(findings.map(({ kind }) => kind)).not.toContain('conflict');
});

describe('an app that counts each order once', () => {
  test('has no finding, since what waits in a dead-letter queue is not lost', async () => {
    const { broken, repeats } = await search(counting(true));
    expect(broken).toEqual([]);
    expect(repeats).toEqual([]);
  });
});

test('an app without an API begins by steps, and a step that is impossible says what there is', async () => {
  const deployment = loadDeployment(writeQueueShop(counting(false)));
  const steps = (send: string) => [{ name: `send ${send}`, step: { send, body: { id: 'lamp' } } }];
  const { scenario } = await makeOracle(deployment, steps('Shop/Queue'));
  const share = { part: 0, of: 1 };
  const { broken } = await searchApp(deployment, scenario, {
    share,
    seeds: 0,
    without: [],
    onProgress: () => undefined,
  });
  expect(groupFindings(broken).map(({ kind }) => kind)).toContain('duplicate');
  await expect(makeOracle(deployment, steps('Nothing'))).rejects.toThrow(
    'there is no queue Nothing; there are: Shop/Dead, Shop/Queue',
  );
});

test('a step stores what a person sets up beside the templates', async () => {
  const cloud = createCloud({});
  const steps: readonly Step[] = [
    { secret: 'key', value: { user: 'vera' } },
    { secret: 'key', value: 'new' },
    { parameter: '/shop/rate', value: '7' },
    { parameter: '/shop/rate', value: 8 },
  ];
  const answers: number[] = [];
  for (const step of steps) doStep(cloud, step, ({ status }) => answers.push(status));
  await cloud.world.settle();
  expect(answers).toEqual([200, 200, 200, 200]);
  expect([cloud.secrets.read('key'), cloud.parameters.read('/shop/rate')]).toEqual(['new', '8']);
});

test('a step sends to a FIFO queue, which may refuse it', () => {
  const cloud = createCloud({ Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } } });
  const answers: number[] = [];
  const send = (more: object) =>
    doStep(cloud, { send: 'Shop/Queue', body: 'a', ...more }, ({ status }) => answers.push(status));
  send({});
  expect(answers).toEqual([400]);
  send({ group: 'one', deduplicationId: 'first' });
  expect(cloud.queue('Shop/Queue').listMessages()).toMatchObject([{ group: 'one', body: 'a' }]);
});

/** Code that puts an item once, and throws the next time. */
const onceOnly = `${CLIENT}
  exports.handler = async ({ id, body }) => {
    const Item = { pk: { S: id ?? JSON.parse(body).id } };
    const ConditionExpression = 'attribute_not_exists(pk)';
    const { status } = await call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item, ConditionExpression });
    if (status !== 200) throw new Error('there is one');
    return { statusCode: 201, body: '' };
  };`;

test('a request that has no good answer the second time is a finding, since its client repeats it', async () => {
  const { deployment } = createApi(
    {
      Table: TABLE,
      ...functionResource('Once', [allowStatement(['dynamodb:PutItem'], arnOf('Table'))], {
        Environment: { Variables: { TABLE: { Ref: 'Table' } } },
      }),
      Post: apiMethod(undefined, 'POST', {
        Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: integrationUri('Once') },
      }),
    },
    { Once: onceOnly },
  );
  const { repeats, unreached } = await makeOracle(deployment, REQUESTS.slice(0, 1));
  expect(repeats[0]?.violations).toEqual([
    {
      promise: PROMISES.repeats,
      detail: expect.stringMatching(/sent twice:\n.*-> 502; first error: .*there is one/),
    },
  ]);
  expect(unreached).toEqual(['Shop/Echo']);
});

test('a function that refuses by an error what it has done already is no finding', async () => {
  const step = { invoke: 'Shop/Work', payload: { id: 'lamp' } };
  const { repeats, unreached } = await makeOracle(loadDeployment(writeQueueShop(onceOnly)), [
    { name: 'invoke Shop/Work', step },
  ]);
  expect(repeats).toEqual([]);
  expect(unreached).toEqual(['Shop/Place']);
});

test('an app that fails without faults is an error of its own', async () => {
  const deployment = loadDeployment(writeQueueShop(counting(true)));
  const wrong = [{ name: 'POST /', method: 'POST', path: '/', headers: {} }];
  deployment.replace('Shop/Place', "exports.handler = async () => { throw new Error('no table'); };");
  await expect(makeOracle(deployment, wrong)).rejects.toThrow(AppDoesNotAnswer);
  await expect(makeOracle(deployment, wrong)).rejects.toThrow(/POST \/ -> 502; first error: .*no table/);
});

test('an app whose API may not call its function says so: neither the function nor the API logs it', async () => {
  const Integration = { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', Uri: integrationUri('Shut') };
  const shut = functionResource('Shut') as unknown as Parameters<typeof createApi>[0];
  const { deployment } = createApi({ ...shut, Post: apiMethod(undefined, 'POST', { Integration }) });
  await expect(makeOracle(deployment, REQUESTS)).rejects.toThrow(
    /POST \/ -> 500; first error: DENIED lambda:InvokeFunction on .*:Shop-Shut for apigateway.amazonaws.com: no permission of Shop\/Shut is for arn:aws:execute-api:.*\/dev\/POST\//,
  );
});

/** Code of the queue's function that writes an item for each order, and what `more` adds to it. */
const writing = (more: string): string => `${CLIENT}
exports.handler = async ({ Records: [{ body, attributes }] }) => {
  const put = async (Item) => {
    const { status } = await call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item });
    if (status !== 200) throw new Error('put: ' + status);
  };
  const { id } = JSON.parse(body);
  await put({ pk: { S: id }, ${more} });
};`;

test('a number of attempts that a crash changes is what recovery writes, and no finding', async () => {
  const { findings, leftOut, lateOnes } = await search(writing('attempts: { N: attributes.ApproximateReceiveCount }'));
  expect(findings).toEqual([]);
  expect(leftOut).toEqual([]);
  // Its values are shown, since a balance that differs so would be a mistake.
  expect(lateOnes).toEqual(['Shop/Table: attempts (1 or 1, 2)']);
});

test('what a schedule does in the days that a late duplicate adds to a history is no finding', async () => {
  const rule = {
    Type: 'AWS::Events::Rule',
    Properties: { ScheduleExpression: 'rate(2 hours)', Targets: [{ Id: 'T', Arn: arnOf('Work') }] },
  };
  const Principal = 'events.amazonaws.com';
  const permission = {
    Type: 'AWS::Lambda::Permission',
    Properties: { Action: 'lambda:InvokeFunction', FunctionName: arnOf('Work'), Principal, SourceArn: arnOf('Rule') },
  };
  // A lease that the first tick writes, and nobody deletes.
  const worker = writing('').replace(
    'async ({ Records: [{ body, attributes }] }) => {',
    () => `async (event) => {
    if (!event.Records) return call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item: { pk: { S: 'lease' } } });
    const [{ body }] = event.Records;`,
  );
  const { findings } = await search(worker, { Rule: rule, Permission: permission });
  expect(findings).toEqual([]);
});
