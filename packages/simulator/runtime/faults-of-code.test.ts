import { expect, test, vi } from 'vitest';
import { playWithFaults } from '../search/scenario.js';
import { createCloud, functionResource } from '../support/clouds.js';
import { environment, value } from '../support/environments.js';

/** Faults that no code catches, and the ending of their invocation. */
const FAULTS: readonly (readonly [where: string, code: string, ending: object])[] = [
  [
    'a rejected promise that nobody awaits',
    `void Promise.reject(new TypeError('lost'));`,
    { name: 'Runtime.UnhandledPromiseRejection', message: 'TypeError: lost' },
  ],
  [
    'an asynchronous callback of forEach',
    `[1].forEach(async () => { throw new Error('in vain'); });`,
    { name: 'Runtime.UnhandledPromiseRejection', message: 'Error: in vain' },
  ],
  [
    'a listener of a stream',
    `const { Readable } = require('node:stream');
     Readable.from(['a']).on('data', () => { throw new RangeError('a'); });`,
    { name: 'RangeError', message: 'a' },
  ],
  ['process.nextTick', `process.nextTick(() => { throw new Error('soon'); });`, { name: 'Error', message: 'soon' }],
  ['queueMicrotask', `queueMicrotask(() => { throw new Error('sooner'); });`, { name: 'Error', message: 'sooner' }],
  ['a timer', `setTimeout(() => { throw new Error('late'); }, 10);`, { name: 'Error', message: 'late' }],
  [
    'a listener of an AbortSignal',
    `const one = new AbortController();
     one.signal.addEventListener('abort', () => { throw new Error('aborted'); });
     one.abort();`,
    { name: 'Error', message: 'aborted' },
  ],
  [
    'process.exit',
    'process.exit(3);',
    { name: 'Runtime.ExitError', message: 'Runtime exited with error: exit status 3' },
  ],
];

test.each(FAULTS)('%s ends the environment, and its invocation fails', async (_, code, ending) => {
  const { invoke, made, log } = environment(`exports.handler = () => new Promise(() => { ${code} });`);
  expect(await invoke()).toEqual({ kind: 'threw', ...ending });
  expect(made.isDead).toBe(true);
  expect(log.at(-1)).toMatch(/^died: /);
  // An invocation that was on its way to it fails as well.
  expect(await invoke()).toMatchObject({ kind: 'threw' });
});

test('a listener of a response that throws ends the environment', async () => {
  const source = `exports.handler = () => new Promise(() => {
    require('https').get('https://there/', () => { throw new Error('heard'); });
  });`;
  const { invoke } = environment(source, '1', (_, reply) => reply.answer({ status: 200, headers: {}, body: '' }));
  expect(await invoke()).toEqual({ kind: 'threw', name: 'Error', message: 'heard' });
});

test('an environment that has exited runs no more code', async () => {
  const { invoke, log } = environment(`exports.handler = async () => {
    try { process.exit(0); } catch { console.log('still here'); }
    console.log('and here');
  };`);
  expect(await invoke()).toMatchObject({ name: 'Runtime.ExitError' });
  expect(log).toEqual(['died: Runtime exited with error: exit status 0']);
});

test('a promise that an invocation leaves behind ends its environment after it has returned', async () => {
  const { invoke, made } = environment(
    `exports.handler = async () => { void Promise.reject(new Error('left')); return 'done'; };`,
  );
  expect(value(await invoke())).toBe('done');
  expect(made.isDead).toBe(true);
});

test('an error of a handler is logged as on Lambda, and the environment stays', async () => {
  const { invoke, log, made } = environment(`exports.handler = async () => { throw new TypeError('no table'); };`);
  expect(await invoke()).toEqual({ kind: 'threw', name: 'TypeError', message: 'no table' });
  const [line = ''] = log;
  expect(line).toMatch(/^Invoke Error /);
  expect(JSON.parse(line.slice('Invoke Error '.length))).toMatchObject({
    errorType: 'TypeError',
    errorMessage: 'no table',
    stack: ['TypeError: no table', expect.stringContaining('under test.js:')],
  });
  expect(made.isDead).toBe(false);
});

test('a value that is no JSON is an error of the invocation', async () => {
  const { invoke } = environment(`exports.handler = async () => { const one = {}; one.one = one; return one; };`);
  expect(await invoke()).toEqual({ kind: 'threw', name: 'Error', message: 'Unable to stringify response body' });
});

test('an uncaught error outside of functions still reaches the process', async () => {
  const { invoke } = environment(`exports.handler = async () => 1;`);
  await invoke();
  const heard = vi.fn();
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', heard);
  void Promise.reject(new Error('of the scenario'));
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('unhandledRejection');
  for (const other of others) process.on('unhandledRejection', other);
  expect(heard).toHaveBeenCalledOnce();
});

test('a history continues after such a fault: another environment retries it, always in the same way', async () => {
  const code = `let calls = 0;
    exports.handler = async () => {
      console.log('call ' + ++calls);
      if (calls < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      void Promise.reject(new Error('forgotten'));
      await new Promise((resolve) => setTimeout(resolve, 5));
    };`;
  const { deployment } = createCloud(functionResource('Work'), { Work: code });
  const scenario = {
    name: 'retried',
    async play(cloud: ReturnType<typeof createCloud>) {
      cloud.asynchronous.invokeAsync(cloud.fn('Shop/Work').resource.arn, {});
      await cloud.world.settle();
      return [];
    },
  };
  const one = await playWithFaults(deployment, scenario, '1');
  const again = await playWithFaults(deployment, scenario, '1');
  expect(one.violations).toEqual([]);
  expect(again.fingerprint).toBe(one.fingerprint);
  const failures = one.trace.filter((line) =>
    line.includes('failed Runtime.UnhandledPromiseRejection: Error: forgotten'),
  );
  expect(failures).toHaveLength(3);
  // Each attempt met a new environment.
  expect(one.cloud.log.filter(({ text }) => text === 'call 1')).toHaveLength(3);
});
