import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { makeFaulty } from '../cloud/provider-faults.js';
import type { InvocationResult } from '../services/lambda/model.js';
import { CLIENT, functionResource, TABLE, writeAssembly } from '../support/clouds.js';
import { LiveCloud, type LiveOptions } from './live-cloud.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function begin(code: Readonly<Record<string, string>>, options: Partial<LiveOptions> = {}) {
  const said: string[] = [];
  const resources = Object.assign({ Table: TABLE }, ...Object.keys(code).map((name) => functionResource(name)));
  const folder = writeAssembly(resources, code);
  const live = new LiveCloud({ folder, threads: 1, log: (line) => said.push(line), ...options });
  ends.push(() => live.stop());
  const invoke = (name: string, event: unknown = {}): Promise<InvocationResult> =>
    new Promise((resolve) => live.runInside((cloud) => cloud.fn(`Shop/${name}`).invoke(event, resolve)));
  return { live, said, invoke, folder };
}

/** Starts a stub that answers with what it was asked. @returns its address */
async function stub(): Promise<string> {
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, host: headers['x-forwarded-host'], body }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CHARGES = `exports.handler = async ({ amount }) => {
  try {
    return await (await fetch('https://cards.example.com/charges', { method: 'POST', body: String(amount) })).json();
  } catch (error) { return error.cause.code; }
};`;

test('a host without a name fails the request, is reported once with the right option, and ends nothing', async () => {
  const { said, invoke } = begin({ Charge: CHARGES });
  for (let times = 0; times < 2; times++)
    expect(await invoke('Charge', { amount: 1 })).toEqual({ kind: 'returned', value: 'ENOTFOUND' });
  expect(said).toEqual([
    'Shop/Charge calls cards.example.com, which nobody has named: the request fails with ENOTFOUND. ' +
      '--outside cards.example.com=http://127.0.0.1:9000 names a stub',
  ]);
});

test('a named stub answers, also after a reset and a deployment, and time that is forwarded waits for it', async () => {
  const outside = { 'cards.example.com': `${await stub()}/fake/` };
  const { live, invoke, folder, said } = begin({ Charge: CHARGES }, { outside });
  const answer = { method: 'POST', url: '/fake/charges', host: 'cards.example.com', body: '7' };
  const charged = { kind: 'returned', value: answer };
  expect(await invoke('Charge', { amount: 7 })).toEqual(charged);
  live.reset();
  expect(await invoke('Charge', { amount: 7 })).toEqual(charged);
  live.deploy(folder);
  const meanwhile = invoke('Charge', { amount: 7 });
  await live.forward(86_400_000);
  expect(await meanwhile).toEqual(charged);
  expect(said).toEqual([]);
});

/** A provider that remembers what it has charged. */
const rememberingCards = () => {
  let charged = 0;
  return {
    answer: () => ({ status: 200, headers: {}, body: JSON.stringify(++charged) }),
    refuse: () => ({ status: 429, headers: {}, body: '' }),
  };
};

test('models of a module answer: a deployment keeps what they remember, and after a reset they begin again', async () => {
  const outsideModels = () => ({ 'cards.example.com': rememberingCards() });
  const { live, invoke, folder, said } = begin({ Charge: CHARGES }, { outsideModels });
  expect(await invoke('Charge')).toMatchObject({ value: 1 });
  live.deploy(folder);
  expect(await invoke('Charge')).toMatchObject({ value: 2 });
  live.reset();
  expect(await invoke('Charge')).toMatchObject({ value: 1 });
  expect(said).toEqual([]);
});

test('a model that code adds to a local cloud stays through a reset and a deployment', async () => {
  const { live, invoke, folder, said } = begin({ Charge: CHARGES });
  live.cloud.thirdParties.add('cards.example.com', rememberingCards());
  for (const [at, again] of [
    () => undefined,
    () => live.reset(),
    () => live.deploy(folder),
    () => live.reset(),
  ].entries()) {
    again();
    expect(await invoke('Charge')).toMatchObject({ value: at + 1 });
  }
  expect(said).toEqual([]);
});

test('a model of a faulty provider is faulty in a local cloud too', async () => {
  const model = makeFaulty(rememberingCards(), { kind: 'refused', first: 1 });
  const { invoke } = begin({ Charge: CHARGES }, { outsideModels: { 'cards.example.com': model } });
  expect(await invoke('Charge')).toMatchObject({ value: 'ECONNREFUSED' });
  expect(await invoke('Charge')).toMatchObject({ value: 1 });
});

test('a call to a host outside happens with its outcome, and its caller is remembered', async () => {
  const { live, invoke } = begin({ Charge: CHARGES }, { outside: { 'cards.example.com': await stub() } });
  const { live: without, invoke: invokeWithout } = begin({ Charge: CHARGES });
  await invoke('Charge', { amount: 7 });
  await invokeWithout('Charge', { amount: 7 });
  const outcomes = [live, without].map(({ happenings }) => happenings.after(0).filter(({ kind }) => kind === 'call'));
  const call = { owner: 'Shop/Charge', target: 'cards.example.com' };
  expect(outcomes).toMatchObject([[{ ...call, outcome: 'ok' }], [{ ...call, outcome: 'ENOTFOUND' }]]);
  expect(live.cloud.thirdParties.callers).toEqual(new Map([['cards.example.com', new Set(['Shop/Charge'])]]));
});

test('a missing stub breaks the connection, and is reported', async () => {
  const { invoke, said } = begin({ Charge: CHARGES }, { outside: { 'cards.example.com': 'http://127.0.0.1:1' } });
  expect(await invoke('Charge', { amount: 1 })).toEqual({ kind: 'returned', value: 'ECONNRESET' });
  expect(said).toEqual([expect.stringContaining("the stub of cards.example.com at http://127.0.0.1:1 doesn't answer")]);
});

test.each([
  ['void Promise.reject(new Error("lost"))', 'Runtime.UnhandledPromiseRejection'],
  ['require("node:stream").Readable.from(["a"]).on("data", () => { throw new RangeError("a"); })', 'RangeError'],
  ['process.exit(1)', 'Runtime.ExitError'],
])('an uncaught error ends its environment, and no other one of its thread: %s', async (code, name) => {
  const counts = 'let count = 0; exports.handler = async () => ++count;';
  const { said, invoke } = begin({
    Fail: `exports.handler = () => new Promise(() => { ${code}; });`,
    Count: counts,
  });
  expect(await invoke('Count')).toEqual({ kind: 'returned', value: 1 });
  expect(await invoke('Fail')).toMatchObject({ kind: 'failed', name });
  expect(await invoke('Fail')).toMatchObject({ kind: 'failed', name });
  expect(await invoke('Count')).toEqual({ kind: 'returned', value: 2 });
  expect(said).toEqual([]);
});

const CALLS = `${CLIENT} exports.handler = async ({ target, body }) => call(target, body);`;

test('a denied call is reported with action, resource and role', async () => {
  const { said, invoke } = begin({ Work: CALLS });
  const body = { TableName: 'Shop-Table', Item: { pk: { S: 'a' } } };
  expect(await invoke('Work', { target: 'DynamoDB_20120810.PutItem', body })).toMatchObject({ value: { status: 400 } });
  expect(said).toEqual([
    'Shop/Work DENIED dynamodb:PutItem on arn:aws:dynamodb:eu-west-1:123456789012:table/Shop-Table ' +
      'for arn:aws:iam::123456789012:role/Shop-WorkRole {"dynamodb:LeadingKeys":["a"]}',
  ]);
});

test('a call that no model answers is an error of the call, and is reported', async () => {
  const { said, invoke } = begin({ Work: CALLS });
  const asked = await invoke('Work', { target: 'SecretsManager.GetSecretValue', body: {} });
  expect(asked).toMatchObject({ value: { status: 501, body: { __type: 'NotImplemented' } } });
  expect(said).toEqual([
    expect.stringContaining(
      'Shop/Work calls POST https://aws/, and the simulator has no model of this: SecretsManager.GetSecretValue. ',
    ),
  ]);
});
