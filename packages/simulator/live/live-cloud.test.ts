import { afterEach, expect, test } from 'vitest';
import { Assembly } from '../assembly/assembly.js';
import { Deployment } from '../cloud/cloud.js';
import { Bundle } from '../runtime/bundle.js';
import { SharedPackages } from '../runtime/shared-packages.js';
import type { InvocationResult } from '../services/lambda/model.js';
import {
  allowStatement,
  arnOf,
  CLIENT,
  functionResource,
  QUEUE_RIGHTS,
  STREAM_RIGHTS,
  TABLE,
  writeAssembly,
} from '../support/clouds.js';
import { LiveCloud, type LiveOptions } from './live-cloud.js';
import { parseState, type SavedState, StateRefused } from './state.js';

const begun: LiveCloud[] = [];
afterEach(async () => {
  for (const live of begun.splice(0)) await live.stop();
});

const begin = (
  resources: Parameters<typeof writeAssembly>[0],
  code: Readonly<Record<string, string>>,
  options: Partial<LiveOptions> = {},
): LiveCloud => {
  const live = new LiveCloud({ folder: writeAssembly(resources, code), threads: 1, ...options });
  begun.push(live);
  return live;
};

const invoke = (live: LiveCloud, label: string, event: unknown = {}): Promise<InvocationResult> =>
  new Promise((resolve) => live.runInside((cloud) => cloud.fn(label).invoke(event, resolve)));

const WRITES = `${CLIENT} exports.handler = async ({ key }) =>
  (await call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item: { pk: { S: key } } })).status;`;
const writerOf = (table: string) =>
  functionResource('Write', [allowStatement(['dynamodb:PutItem'], arnOf(table))], {
    Environment: { Variables: { TABLE: { Ref: table } } },
  });
const writer = { ...writerOf('Things'), Things: TABLE };

/** A queue whose function writes down each message. */
const inbox = {
  Things: TABLE,
  Inbox: { Type: 'AWS::SQS::Queue', Properties: { DelaySeconds: 600 } },
  ...functionResource(
    'Read',
    [allowStatement(QUEUE_RIGHTS, arnOf('Inbox')), allowStatement(['dynamodb:PutItem'], arnOf('Things'))],
    {
      Environment: { Variables: { TABLE: { Ref: 'Things' } } },
    },
  ),
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: arnOf('Inbox'), FunctionName: arnOf('Read') },
  },
};
const READS = `${CLIENT} exports.handler = async ({ Records }) => {
  for (const { body } of Records)
    await call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item: { pk: { S: body } } });
};`;
/** A rule that sends a message each minute. */
const TICKS = {
  Type: 'AWS::Events::Rule',
  Properties: { ScheduleExpression: 'rate(1 minute)', Targets: [{ Id: 'Inbox', Arn: arnOf('Inbox') }] },
};
const keys = (live: LiveCloud): unknown[] => live.cloud.listItems('Shop/Things').map(({ pk }) => pk);

test('a function runs in a thread of its own and reaches the tables', async () => {
  const live = begin(writer, { Write: WRITES });
  expect(await invoke(live, 'Shop/Write', { key: 'a' })).toEqual({ kind: 'returned', value: 200 });
  expect(keys(live)).toEqual(['a']);
});

test('functions of the same code share what is compiled, and nothing that they keep', async () => {
  const named = (name: string) => functionResource(name, [], { Environment: { Variables: { NAME: name } } });
  const code = `let invocations = 0;
    exports.handler = async () => {
      const [, file] = /([\\w/]+\\.js):/.exec(new Error('here').stack);
      return { name: process.env.NAME, invocations: ++invocations, file };
    };`;
  const live = begin({ ...named('One'), ...named('Two') }, { One: code, Two: code });
  const value = async (label: string) => ((await invoke(live, label)) as { value?: unknown }).value;
  expect(await value('Shop/One')).toEqual({ name: 'One', invocations: 1, file: 'Shop/One.js' });
  expect(await value('Shop/One')).toEqual({ name: 'One', invocations: 2, file: 'Shop/One.js' });
  // V8 names the file of the code that it has compiled. A bundle of the kit says its own name.
  expect(await value('Shop/Two')).toEqual({ name: 'Two', invocations: 1, file: 'Shop/One.js' });
  live.replaceCode('Shop/One', code.replace('++invocations', '0'));
  expect(await value('Shop/One')).toEqual({ name: 'One', invocations: 0, file: 'Shop/One.js' });
  expect(await value('Shop/Two')).toEqual({ name: 'Two', invocations: 2, file: 'Shop/One.js' });
});

test('functions that share packages act in their own names, also at the same time', async () => {
  const packages = new SharedPackages(`exports.modules = { 'the-package': {
    name: () => process.env.NAME,
    wait: () => new Promise((resolve) => setTimeout(resolve, 20)),
  } };`);
  const named = (name: string) => functionResource(name, [], { Environment: { Variables: { NAME: name } } });
  const code = `const shared = require('the-package');
    exports.handler = async () => {
      const names = [];
      for (let times = 0; times < 5; times++) {
        await shared.wait();
        await undefined;
        names.push(shared.name());
      }
      return names.join();
    };`;
  const live = begin(
    { ...named('One'), ...named('Two') },
    { One: code, Two: code },
    {
      deployment: (folder) =>
        new Deployment(new Assembly(folder), (source, label) => new Bundle(label, source, { packages })),
    },
  );
  const results = await live.runInside((cloud) =>
    Promise.all(['One', 'Two'].map((name) => new Promise((resolve) => cloud.fn(`Shop/${name}`).invoke({}, resolve)))),
  );
  expect(results).toEqual(
    ['One', 'Two'].map((name) => ({ kind: 'returned', value: Array.from({ length: 5 }, () => name).join() })),
  );
});

test.each([
  [undefined, [0, 0]],
  [100, [1, 1]],
])(
  'a live cloud that remembers %s records keeps as many records of evidence for invariants',
  async (remembers, kept) => {
    const live = begin(inbox, { Read: READS }, remembers === undefined ? {} : { historyLimit: remembers });
    live.runInside((cloud) => cloud.queue('Shop/Inbox').send({ body: 'read' }));
    await live.forward(660_000);
    expect(keys(live)).toEqual(['read']);
    expect([live.cloud.queue('Shop/Inbox').fates.length, live.cloud.tableCalls.length]).toEqual(kept);
  },
);

test('a function that cannot be loaded is a failed invocation', async () => {
  const live = begin(functionResource('Broken'), { Broken: "throw new TypeError('no table');" });
  expect(await invoke(live, 'Shop/Broken')).toEqual({ kind: 'failed', name: 'TypeError', message: 'no table' });
});

test('a function that blocks is reported by name, and its thread is replaced', async () => {
  const said: string[] = [];
  const live = begin(
    { ...functionResource('Loop', [], { Timeout: 1 }), ...functionResource('Other') },
    { Loop: 'exports.handler = async () => { for (;;); };', Other: 'exports.handler = async () => 1;' },
    { log: (line) => said.push(line) },
  );
  expect(await invoke(live, 'Shop/Loop')).toMatchObject({ kind: 'failed', name: 'Sandbox.Timedout' });
  expect(
    await invoke(live, 'Shop/Other').then((first) => (first.kind === 'failed' ? invoke(live, 'Shop/Other') : first)),
  ).toEqual({
    kind: 'returned',
    value: 1,
  });
  expect(said).toEqual(['Shop/Loop blocked its thread, which was replaced']);
});

test('forwarded time does at once what would come in it, in order', async () => {
  const live = begin(inbox, { Read: READS });
  const { now } = live;
  live.runInside((cloud) => cloud.queue('Shop/Inbox').send({ body: 'late' }));
  await live.forward(599_000);
  expect(keys(live)).toEqual([]);
  await live.forward(60_000);
  expect(keys(live)).toEqual(['late']);
  expect(live.now - now).toBeGreaterThanOrEqual(659_000);
});

test('the process still receives signals and requests while time is forwarded and no function runs', async () => {
  const live = begin({ Ticks: TICKS, Inbox: { Type: 'AWS::SQS::Queue' } }, {});
  const forwarded = live.forward(3650 * 86_400_000).then(() => 'forwarded');
  const turned = new Promise((resolve) => setTimeout(resolve, 0, 'a turn of the event loop'));
  expect(await Promise.race([forwarded, turned])).toBe('a turn of the event loop');
  await forwarded;
});

test('an end in the middle of a forward ends it, and observers do not see the clock change', async () => {
  const clockSet: number[] = [];
  const live = begin(
    { Ticks: TICKS, Inbox: { Type: 'AWS::SQS::Queue' } },
    {},
    { onClockSet: (ahead) => clockSet.push(ahead) },
  );
  const forwarded = live.forward(3650 * 86_400_000);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await live.stop();
  await forwarded;
  expect(live.now - Date.now()).toBeLessThan(3650 * 86_400_000);
  expect(clockSet).toEqual([]);
});

test('a fault that was asked for happens as often as it was asked for', async () => {
  const said: string[] = [];
  const live = begin(writer, { Write: WRITES }, { log: (line) => said.push(line) });
  live.injectFault('Shop/Write', 'killed-after', { next: 1 });
  expect(await invoke(live, 'Shop/Write', { key: 'a' })).toMatchObject({ kind: 'failed', name: 'Runtime.ExitError' });
  expect(keys(live)).toEqual(['a']);
  expect(await invoke(live, 'Shop/Write', { key: 'b' })).toEqual({ kind: 'returned', value: 200 });
  expect(said).toEqual(['fault killed-after at Shop/Write call 1']);
});

test('new code is used by the next invocation, and what was stored stays', async () => {
  const live = begin(writer, { Write: WRITES });
  await invoke(live, 'Shop/Write', { key: 'a' });
  live.replaceCode('Shop/Write', 'exports.handler = async () => "new";');
  expect(await invoke(live, 'Shop/Write')).toEqual({ kind: 'returned', value: 'new' });
  expect(keys(live)).toEqual(['a']);
});

test('another deployment keeps tables, messages and the code of the new assembly', async () => {
  const live = begin(inbox, { Read: READS });
  live.runInside((cloud) => cloud.queue('Shop/Inbox').send({ body: 'kept' }));
  const changed = READS.replace('S: body', "S: body + ' by new code'");
  expect(live.deploy(writeAssembly({ ...inbox, More: TABLE }, { Read: changed }))).toEqual([]);
  await live.forward(601_000);
  expect(keys(live)).toEqual(['kept by new code']);
  expect(live.cloud.listItems('Shop/More')).toEqual([]);
});

test('a deployment leaves switches that a client has moved: concurrency and mappings', async () => {
  const live = begin(inbox, { Read: READS });
  live.runInside((cloud) => {
    cloud.fn('Shop/Read').reserve(0);
    for (const source of cloud.sources) source.enabled = false;
    cloud.queue('Shop/Inbox').send({ body: 'waits' });
  });
  live.deploy(writeAssembly({ ...inbox, More: TABLE }, { Read: READS }));
  await live.forward(601_000);
  expect(live.cloud.fn('Shop/Read').reserved).toBe(0);
  expect(live.cloud.sources.map(({ enabled }) => enabled)).toEqual([false]);
  expect(keys(live)).toEqual([]);
});

test('a message that a function was handling at a deployment comes again at once', async () => {
  const live = begin(inbox, { Read: 'exports.handler = () => new Promise(() => undefined);' });
  live.runInside((cloud) => cloud.queue('Shop/Inbox').send({ body: 'held' }));
  await live.forward(601_000);
  expect([...live.cloud.queue('Shop/Inbox').handled]).toHaveLength(1);
  live.deploy(writeAssembly(inbox, { Read: READS }));
  await live.forward(1_000);
  expect(keys(live)).toEqual(['held']);
});

const HANGS = 'exports.handler = () => new Promise(() => undefined);';

test('messages that would wait for an environment stay in the queue, where they join a batch', async () => {
  const live = begin(inbox, { Read: HANGS });
  live.runInside((cloud) => {
    for (let at = 0; at < 50; at++) cloud.queue('Shop/Inbox').send({ body: String(at) }, undefined, 0);
  });
  await live.forward(5_000);
  expect(live.cloud.fn('Shop/Read').invocations).toBe(2);
  expect([...live.cloud.queue('Shop/Inbox').handled]).toHaveLength(20);
});

test('records that would wait for an environment stay in the stream, where they join a batch', async () => {
  const streamed = {
    Things: { ...TABLE, Properties: { ...TABLE.Properties, StreamSpecification: { StreamViewType: 'NEW_IMAGE' } } },
    ...writerOf('Things'),
    ...functionResource('Read', [allowStatement(STREAM_RIGHTS, '*')]),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Things', 'StreamArn'] },
        FunctionName: arnOf('Read'),
        StartingPosition: 'TRIM_HORIZON',
        ParallelizationFactor: 10,
      },
    },
  };
  const live = begin(streamed, { Write: WRITES, Read: HANGS });
  for (let at = 0; at < 20; at++) await invoke(live, 'Shop/Write', { key: `key-${at}` });
  await live.forward(5_000);
  expect(live.cloud.fn('Shop/Read').invocations).toBe(2);
});

test('resources that a deployment no longer has are named', async () => {
  const live = begin(writer, { Write: WRITES });
  await invoke(live, 'Shop/Write', { key: 'a' });
  expect(live.deploy(writeAssembly(functionResource('Write'), { Write: WRITES }))).toEqual(['Shop-Things']);
});

test('a saved state continues: tables, messages, objects, parameters, and everything on its way', async () => {
  const bucket = { Files: { Type: 'AWS::S3::Bucket', Properties: {} } };
  const live = begin({ ...inbox, ...bucket }, { Read: READS });
  live.runInside((cloud) => {
    cloud.queue('Shop/Inbox').send({ body: 'sent before' });
    cloud.buckets.put('shop-files', 'a/b', 'text');
    cloud.parameters.operations.PutParameter?.({ Name: '/shop/key', Type: 'SecureString', Value: 'secret' });
  });
  const state = parseState(JSON.stringify(live.save()));
  const again = begin({ ...inbox, ...bucket }, { Read: READS }, { state });
  expect(again.cloud.buckets.get('shop-files', 'a/b')).toBe('text');
  expect(again.cloud.parameters.operations.GetParameter?.({ Name: '/shop/key', WithDecryption: true })).toMatchObject({
    Parameter: { Value: 'secret', Version: 1 },
  });
  again.runInside((cloud) => cloud.queue('Shop/Inbox').send({ body: 'sent after' }));
  await again.forward(601_000);
  expect(keys(again)).toEqual(['sent after', 'sent before']);
});

test.each([
  ['{', 'it is no JSON'],
  ['[]', 'it is no state of a local cloud'],
  [JSON.stringify({ format: 'orderly-local', version: 0 } satisfies Partial<SavedState>), 'version 0 of the format'],
])('a state that does not fit is refused with words: %s', (text, words) => {
  expect(() => parseState(text)).toThrow(StateRefused);
  expect(() => parseState(text)).toThrow(words);
});

test('a reset leaves nothing', async () => {
  const live = begin(writer, { Write: WRITES });
  await invoke(live, 'Shop/Write', { key: 'a' });
  await live.forward(3_600_000);
  live.reset();
  expect(keys(live)).toEqual([]);
  expect(live.now - Date.now()).toBeLessThan(3_600_000);
  expect(await invoke(live, 'Shop/Write', { key: 'b' })).toEqual({ kind: 'returned', value: 200 });
});
