import { describe, expect, test } from 'vitest';
import { EventLoop } from '../engine/event-loop.js';
import { environment, value } from '../support/environments.js';
import { createAsyncHooks, Leftovers } from './leftovers.js';

/** Code with a hook that reads the clock, which a test can count, at each promise of the process. */
const HOOK = `const hook = require('node:async_hooks').createHook({ init: () => void Date.now() });
  exports.handler = async ({ does = 'enable' }) => void hook[does]();`;

/** Returns a world, and how often its clock is read while promises are made outside of all environments. */
function countingWorld() {
  const world = new EventLoop({ seed: '1' });
  let reads = 0;
  const counting = new Proxy(world, {
    get(target, name) {
      if (name === 'now') reads++;
      const found: unknown = Reflect.get(target, name, target);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const readsByPromises = async (): Promise<number> => {
    const before = reads;
    for (let made = 0; made < 10; made++) await Promise.resolve();
    return reads - before;
  };
  return { world: counting, readsByPromises };
}

describe('hooks of asynchronous work', () => {
  test('end with their environment', async () => {
    const { world, readsByPromises } = countingWorld();
    const { made, invoke } = environment(HOOK, '1', undefined, 'one', world);
    await invoke();
    expect(await readsByPromises()).toBeGreaterThan(0);
    made.kill();
    expect(await readsByPromises()).toBe(0);
  });

  test.each([
    ['whose module fails', "throw new Error('no settings');"],
    ['that has no handler', 'delete exports.handler;'],
  ])('end with an environment %s', async (_, then) => {
    const { world, readsByPromises } = countingWorld();
    expect(() => environment(`${HOOK} hook.enable(); ${then}`, '1', undefined, 'one', world)).toThrow();
    expect(await readsByPromises()).toBe(0);
  });

  test('keep their environment from other histories, until they are disabled', async () => {
    const { made, invoke } = environment(HOOK);
    await invoke();
    expect(made.isAsNew).toBe(false);
    await invoke({ does: 'disable' });
    expect(made.isAsNew).toBe(true);
  });

  test('that throw end the environment, and nothing else', async () => {
    const { invoke } = environment(
      `const hook = require('node:async_hooks').createHook({ init() { throw new Error('mine'); } });
      exports.handler = async () => { hook.enable(); await null; return 1; };`,
    );
    expect(await invoke()).toMatchObject({ kind: 'threw', message: 'mine' });
  });
});

test('a store of asynchronous work ends with its environment', async () => {
  const leftovers = new Leftovers(() => undefined);
  const { AsyncLocalStorage } = createAsyncHooks(leftovers) as typeof import('node:async_hooks');
  const store = new AsyncLocalStorage<string>();
  store.enterWith('a request');
  expect(store.getStore()).toBe('a request');
  leftovers.remove();
  await Promise.resolve();
  expect(store.getStore()).toBeUndefined();
});

test('code keeps a store through its promises', async () => {
  const { invoke } = environment(`const { AsyncLocalStorage } = require('node:async_hooks');
    const store = new AsyncLocalStorage();
    exports.handler = async ({ id }) => store.run(id, async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return [store.getStore(), store instanceof AsyncLocalStorage];
    });`);
  expect(value(await invoke({ id: 7 }))).toEqual([7, true]);
});

describe('channels for diagnostics', () => {
  const CHANNEL = `const diagnostics = require('node:diagnostics_channel');
    const heard = [];
    diagnostics.subscribe('orders', (message, name) => heard.push([message, name]));
    exports.handler = async ({ says }) => {
      if (says) diagnostics.channel('orders').publish(says);
      return heard;
    };`;

  test('carry messages within one environment only', async () => {
    const [one, other] = [environment(CHANNEL), environment(CHANNEL)];
    expect(value(await one.invoke({ says: 'placed' }))).toEqual([['placed', 'orders']]);
    expect(value(await other.invoke())).toEqual([]);
  });

  test('trace calls, and take stores', async () => {
    const { invoke } = environment(`const diagnostics = require('node:diagnostics_channel');
      const { AsyncLocalStorage } = require('node:async_hooks');
      const store = new AsyncLocalStorage();
      const heard = [];
      const tracing = diagnostics.tracingChannel('call');
      diagnostics.channel('tracing:call:start').subscribe(({ id }, name) => heard.push(name + ' ' + id));
      tracing.subscribe({ end: ({ id }, name) => heard.push(name + ' ' + id) });
      const named = diagnostics.tracingChannel({
        ...Object.fromEntries(['asyncStart', 'asyncEnd', 'error'].map((part) => [part, diagnostics.channel(part)])),
        start: diagnostics.channel('tracing:call:start'),
        end: diagnostics.channel('finish'),
      });
      diagnostics.subscribe('finish', ({ id }) => heard.push('finish ' + id));
      diagnostics.channel('stored').bindStore(store);
      exports.handler = async () => {
        tracing.traceSync(() => heard.push('runs'), { id: 1 });
        named.traceSync(() => heard.push('runs'), { id: 2 });
        diagnostics.channel('stored').runStores('kept', () => heard.push(store.getStore()));
        return heard;
      };`);
    expect(value(await invoke())).toEqual([
      'tracing:call:start 1',
      'runs',
      'tracing:call:end 1',
      'tracing:call:start 2',
      'runs',
      'finish 2',
      'kept',
    ]);
  });

  test('have subscribers until these end', async () => {
    const { invoke } = environment(`const diagnostics = require('node:diagnostics_channel');
      exports.handler = async () => {
        const listener = () => undefined;
        const seen = () => [diagnostics.hasSubscribers('a'), diagnostics.channel('a').hasSubscribers];
        diagnostics.subscribe('a', listener);
        return [seen(), diagnostics.unsubscribe('a', listener), diagnostics.unsubscribe('a', listener), seen()];
      };`);
    expect(value(await invoke())).toEqual([[true, true], true, false, [false, false]]);
  });
});
