import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { Environment } from '../runtime/environment.js';
import { allowStatement, arnOf, CLIENT, createCloud, functionResource, TABLE } from '../support/clouds.js';
import { type Conditions, playWithFaults, type Scenario } from './scenario.js';
import { playSingleFaults } from './singles.js';

/** Compares histories with single faults to the same ones without a replay, for code that is hard to replay. */

const INVOCATIONS = 6;

let run: MockInstance<Environment['invoke']>;
beforeEach(() => {
  run = vi.spyOn(Environment.prototype, 'invoke');
});
afterEach(() => run.mockRestore());

/**
 * Plays every single fault of some invocations, two of them at once; the answer to the third call is always lost.
 * @param code of a function that receives its number; `put(key)` writes an item
 * @returns number of played invocations that were replayed instead of run
 */
async function replayed(code: string, conditions: Conditions = {}): Promise<number> {
  const PUT = `const put = (key) => call('DynamoDB_20120810.PutItem', { TableName: 'Shop-Table', Item: { pk: { S: String(key) } } });`;
  const resources = {
    Table: TABLE,
    ...functionResource('Work', [allowStatement(['dynamodb:PutItem'], arnOf('Table'))]),
  };
  const { deployment } = createCloud(resources, { Work: CLIENT + PUT + code });
  const scenario: Scenario = {
    name: 'singles',
    faultProbability: 0,
    conditions,
    async play(cloud) {
      const work = cloud.fn('Shop/Work');
      let answers = 0;
      cloud.calls.interceptor = {
        beforeCall: () => undefined,
        afterCall: () => (++answers === 3 ? 'answer-lost' : undefined),
      };
      const invoke = async (number: number): Promise<void> => {
        await new Promise((resolve) => work.invoke({ number }, resolve));
        for (let turn = 0; turn < 20; turn++) await undefined;
        // The first invocation's environment is idle from then on, until another one is killed.
        if (number > 1 && number < INVOCATIONS) await invoke(number + 1);
      };
      let ended = false;
      void Promise.all([invoke(1), invoke(2)]).then(() => (ended = true));
      // Other events happen all the time.
      const tick = (): void => {
        if (!ended) cloud.world.after(1, tick);
      };
      tick();
      await cloud.world.settle();
      cloud.world.note('at rest');
      return [];
    },
  };
  const found: { fault: object; fingerprint: string; log: object }[] = [];
  let begun = 0;
  await playSingleFaults(deployment, scenario, {
    onHistory: ({ faults: [fault = {}], fingerprint, cloud: { log }, trace }) => {
      found.push({ fault, fingerprint, log });
      begun += trace.filter((line) => / begins/.test(line) && !line.includes('crashed')).length;
    },
  });
  const ran = run.mock.calls.length - INVOCATIONS;
  for (const { fault, ...history } of found) {
    const { fingerprint, cloud } = await playWithFaults(deployment, scenario, 'singles', [fault as never]);
    expect({ fingerprint, log: cloud.log }, JSON.stringify(fault)).toEqual(history);
  }
  return begun - ran;
}

test('everything that was over before the fault is replayed, by what caused it', async () => {
  const code = `exports.handler = async ({ number }) => {
    console.log('begins', performance.now());
    const first = put(number + 'a').then(() => console.log('a'), ({ message }) => console.log(message));
    const { status } = await put(number + 'b');
    console.log('b', status);
    await first;
    if (number % 2) throw new Error('odd');
  };`;
  expect(await replayed(code)).toBeGreaterThan(100);
});

test('random numbers continue where the replayed ones left them, also those drawn behind an end', async () => {
  const code = `exports.handler = async () => {
    await put(Math.random());
    (async () => { for (let turn = 0; turn < 20; turn++) await null; Math.random(); })();
  };`;
  expect(await replayed(code)).toBeGreaterThan(50);
});

test.each([
  [
    'after a timer',
    `exports.handler = async ({ number }) => {
      if (number === 2) await new Promise((resolve) => setTimeout(resolve, 50));
      await put(Math.random());
    };`,
  ],
  [
    'with work that continues after its end',
    `exports.handler = async ({ number }) => {
      if (number === 2) (async () => { for (let turn = 0; turn < 20; turn++) await null; await put('later'); })().catch(() => undefined);
      else await put(number);
    };`,
  ],
  [
    'with a request under way at its end',
    `exports.handler = async ({ number }) => {
      if (number === 2) put('open').then(() => console.log('answered'), () => undefined);
      else await put(number);
    };`,
  ],
])('an environment runs from the invocation on that ends %s', async (_, code) => {
  expect(await replayed(code)).toBeGreaterThan(0);
});

test('everything runs where environments must not be recycled', async () => {
  const code = 'let count = 0; exports.handler = async ({ number }) => { await put(number); console.log(++count); };';
  expect(await replayed(code, { recycle: false })).toBe(0);
});
