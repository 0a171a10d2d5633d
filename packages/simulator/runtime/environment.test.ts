import { describe, expect, test } from 'vitest';
import { EventLoop } from '../engine/event-loop.js';
import { environment, value } from '../support/environments.js';
import { Bundle } from './bundle.js';
import { EnvironmentPool } from './recycled.js';
import { SharedPackages } from './shared-packages.js';

test('module state lives as long as the environment, and no longer', async () => {
  const source = 'let calls = 0; exports.handler = async () => ++calls;';
  const one = environment(source);
  expect(value(await one.invoke())).toBe(1);
  expect(value(await one.invoke())).toBe(2);
  expect(value(await environment(source).invoke())).toBe(1);
});

test('environments of one bundle share its realm, and nothing that their code changes', async () => {
  const bundle = new Bundle(
    'under test',
    `const process = require('node:process');
    const seen = () => [Date.mark, Math.mark, process.env.mark, globalThis.mark, global.mark, typeof mark];
    exports.handler = async ({ mark }) => {
      const before = seen();
      Date.mark = Math.mark = process.env.mark = globalThis.mark = mark;
      console.log(mark);
      return { before, name: process.env.NAME, number: Math.random(), isDate: new Date() instanceof Date };
    };`,
  );
  const one = environment(bundle, '1', undefined, 'one');
  const other = environment(bundle, '2', undefined, 'other');
  const untouched = [null, null, null, null, null, 'undefined'];
  const first = value(await one.invoke({ mark: 'first' })) as { number: number };
  expect(first).toMatchObject({ before: untouched, name: 'one', isDate: true });
  const second = value(await other.invoke({ mark: 'second' })) as { number: number };
  expect(second).toMatchObject({ before: untouched, name: 'other', isDate: true });
  expect(second.number).not.toBe(first.number);
  expect([one.log, other.log]).toEqual([['first'], ['second']]);
});

test('a prototype that code changes is an error of its invocation, and of no other', async () => {
  const bundle = new Bundle(
    'under test',
    'exports.handler = async ({ name }) => { if (name) Object.prototype[name] = 1; return Object.keys(Object.prototype); };',
  );
  const [one, other] = [environment(bundle), environment(bundle)];
  expect(await one.invoke({ name: 'polluted' })).toMatchObject({ kind: 'threw', name: 'PrototypePolluted' });
  expect(value(await other.invoke())).toEqual([]);
});

describe('packages that environments share', () => {
  const packages = new SharedPackages(`let calls = 0;
    exports.modules = { 'the-package': {
      calls: () => ++calls,
      look: () => [process.env.NAME, Math.random(), require('node:crypto').randomUUID()],
      wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      say: (text) => console.log(text),
      now: () => new Date(),
    } };`);
  const bundle = (handler: string): Bundle =>
    new Bundle('under test', `const shared = require('the-package'); exports.handler = async () => {${handler}};`, {
      packages,
    });

  test('reach the outside through the environment whose code runs', async () => {
    const waits = bundle(`
      const begun = shared.now();
      await shared.wait(1000);
      shared.say(shared.look()[0]);
      return { waited: shared.now() - begun, isDate: begun instanceof Date, seen: shared.look() };`);
    const world = new EventLoop({ seed: '1' });
    const one = environment(waits, '1', undefined, 'one', world);
    const other = environment(waits, '2', undefined, 'other', world);
    const [first, second] = [one.begin(), other.begin()];
    await world.settle();
    const [seen, seenByOther] = [first, second].map((ending) => value(ending()) as { seen: readonly unknown[] });
    expect(seen).toMatchObject({ waited: 1_000, isDate: true, seen: ['one', expect.any(Number), expect.any(String)] });
    expect(seenByOther).toMatchObject({ waited: 1_000, isDate: true });
    expect(seenByOther?.seen[0]).toBe('other');
    expect(seenByOther?.seen.slice(1)).not.toEqual(seen?.seen.slice(1));
    expect([one.log, other.log]).toEqual([['one'], ['other']]);
  });

  test('shared packages have one state for all, and the code that requires them has its own for each', async () => {
    const counts = new Bundle(
      'under test',
      `let calls = 0; const shared = require('the-package'); exports.handler = () => [++calls, shared.calls()];`,
      { packages },
    );
    expect(value(await environment(counts).invoke())).toEqual([1, 1]);
    expect(value(await environment(counts).invoke())).toEqual([1, 2]);
  });

  test.each(['Date.now = () => 0', 'Math.random = () => 0'])(
    'environments cannot change the clock and numbers of shared packages: %s',
    async (change) => {
      const changes = bundle(`'use strict'; ${change};`);
      expect(await environment(changes).invoke()).toMatchObject({ kind: 'threw', name: 'TypeError' });
    },
  );

  test('a module that is none of them is one of Node', async () => {
    expect(value(await environment(bundle(`return typeof require('node:path').join;`)).invoke())).toBe('function');
  });
});

test('time is virtual: waiting for a day takes none', async () => {
  const { invoke, world } = environment(`exports.handler = async () => {
    const begun = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 86400000));
    return { waited: Date.now() - begun, date: new Date().toISOString(), same: performance.now() >= 86400000 };
  };`);
  expect(value(await invoke())).toEqual({ waited: 86_400_000, date: new Date(world.now).toISOString(), same: true });
});

test('random numbers, ids and bytes come from the seed', async () => {
  const source = `const crypto = require('node:crypto');
    exports.handler = async () => [Math.random(), crypto.randomUUID(), crypto.randomBytes(4).toString('hex'),
      Array.from(globalThis.crypto.getRandomValues(new Uint8Array(4)))];`;
  const drawn = async (seed: string) => JSON.stringify(value(await environment(source, seed).invoke()));
  expect(await drawn('1')).toBe(await drawn('1'));
  expect(await drawn('1')).not.toBe(await drawn('2'));
});

test('a timer is cleared by its object and by its number', async () => {
  const { invoke } = environment(`exports.handler = async () => {
    const fired = [];
    clearTimeout(setTimeout(() => fired.push('object'), 1));
    clearTimeout(Number(setTimeout(() => fired.push('number'), 1)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    return fired;
  };`);
  expect(value(await invoke())).toEqual([]);
});

test('a request is answered in process; an error of the connection is an error event', async () => {
  const source = `const https = require('node:https');
    exports.handler = (event) => new Promise((resolve) => {
      const request = https.request({ method: 'POST', host: 'there', path: '/', headers: { A: 1 } }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve([response.statusCode, text]));
      });
      request.on('error', (error) => resolve(error.code));
      request.end(event.body);
    });`;
  const answering = environment(source, '1', ({ host, body, headers }, reply) =>
    reply.answer({ status: 201, headers: {}, body: `${host} ${headers.a} ${body}` }),
  );
  expect(value(await answering.invoke({ body: 'hello' }))).toEqual([201, 'there 1 hello']);
  const breaking = environment(source, '1', (_, reply) => reply.fail('ECONNRESET'));
  expect(value(await breaking.invoke({ body: 'hello' }))).toBe('ECONNRESET');
});

test.each([
  ['shop.example.com', [{ address: '52.0.0.1', family: 4 }]],
  ['10-0-0-7.sslip.io', [{ address: '10.0.0.7', family: 4 }]],
  ['hooks.169.254.169.254.sslip.io', [{ address: '169.254.169.254', family: 4 }]],
  ['api.localhost', [{ address: '127.0.0.1', family: 4 }]],
  ['::1', [{ address: '::1', family: 6 }]],
])('%s has addresses, which code may check before it calls the host', async (host, found) => {
  const { invoke } = environment(`const { lookup } = require('node:dns');
    const { isIP } = require('node:net');
    exports.handler = async (host) => {
      const one = new Promise((resolve) => lookup(host, (_, address, family) => resolve({ address, family })));
      const all = await require('node:dns/promises').lookup(host, { all: true });
      return { all, one: await one, families: all.map(({ address }) => isIP(address)) };
    };`);
  expect(value(await invoke(host))).toEqual({ all: found, one: found[0], families: found.map(({ family }) => family) });
});

test('a killed environment runs no more code', async () => {
  const { world, made, log } = environment(`exports.handler = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    console.log('still here');
  };`);
  let ended = false;
  const context = { requestId: 'r', functionName: 'f', functionArn: 'a', memoryMegabytes: 512, deadline: 0 };
  world.after(0, () => made.invoke({}, context, () => (ended = true)));
  world.after(5, () => made.kill());
  await world.settle();
  expect({ ended, log }).toEqual({ ended: false, log: [] });
});

test("Date is called, constructed and extended as JavaScript's, by the environment's clock", async () => {
  const { invoke, world } = environment(`exports.handler = async () => {
    class Own extends Date { year() { return this.getUTCFullYear(); } }
    const now = new Date();
    return [
      Date() === now.toString(), now.constructor === Date, now instanceof Date, new Own() instanceof Own, new Own().year(),
      new Date(0).getTime(), new Date(2026, 0, 5).getDate(), Date.UTC(1970, 0), Date.name, Date.length, now.getTime(), Date.now(),
    ];
  };`);
  const { now } = world;
  expect(value(await invoke())).toEqual([true, true, true, true, 2026, 0, 5, 0, 'Date', 7, now, now]);
});

test('files, other processes and unknown modules are out of reach', async () => {
  const { invoke } = environment(`exports.handler = async () => {
    const { readFile } = require('node:fs/promises');
    const file = await readFile('/root/.aws/config').catch((error) => error.code);
    let module;
    try { require('left-pad'); } catch (error) { module = error.code; }
    let started;
    try { require('node:child_process').exec('ls'); } catch (error) { started = error.name; }
    return { file, module, started, name: process.env.NAME, path: process.env.PATH };
  };`);
  expect(value(await invoke())).toEqual({
    file: 'ENOENT',
    module: 'MODULE_NOT_FOUND',
    started: 'NotSimulated',
    name: 'value',
  });
});

const ASKS = `const https = require('https');
exports.handler = () => new Promise((resolve) => {
  const headers = { 'x-amz-target': process.env.TARGET ?? globalThis.target };
  const request = https.request({ host: 'aws', method: 'POST', headers }, (answer) => answer.on('data', () => 0).on('end', resolve));
  request.end('{}');
});`;

test.each([
  ['DynamoDB_20120810.GetItem', true],
  ['TrentService.Decrypt', false],
  ['TrentService.GenerateDataKey', false],
])('an environment that sent %s may serve another history: %s', async (target, may) => {
  const { made, invoke } = environment(`globalThis.target = '${target}'; ${ASKS}`, '1', (_, reply) =>
    reply.answer({ status: 200, headers: {}, body: '{}' }),
  );
  expect(value(await invoke())).toBeNull();
  expect(made.isAsNew).toBe(may);
});

test('a few environments of one function are kept for other histories', async () => {
  const recycled = new EnvironmentPool();
  const source = 'exports.handler = async () => 1;';
  const kept = Array.from({ length: 20 }, () => recycled.give('one', environment(source).made));
  expect(kept.filter(Boolean)).toHaveLength(12);
  expect(recycled.give('another', environment(source).made)).toBe(true);
});
