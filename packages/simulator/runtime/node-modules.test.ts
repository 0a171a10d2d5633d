import { builtinModules } from 'node:module';
import * as nodeOs from 'node:os';
import { expect, test } from 'vitest';
import { environment, value } from '../support/environments.js';

/** Modules of Node without its internals. */
const MODULES = builtinModules.filter((name) => !name.startsWith('_')).map((name) => name.replace(/^node:/, ''));

test.each(MODULES)('code may require %s', async (name) => {
  const { invoke } = environment(`exports.handler = async () => typeof require('node:${name}');`);
  expect(value(await invoke())).toMatch(/^(object|function)$/);
});

test.each([
  ['child_process', 'exec', "('ls')"],
  ['tls', 'connect', '(443)'],
  ['dgram', 'createSocket', "('udp4')"],
  ['vm', 'runInNewContext', "('1')"],
])('what reaches outside refuses when it is used, and names itself: %s.%s', async (module, member, call) => {
  const { invoke } = environment(`exports.handler = async () => require('${module}').${member}${call};`);
  expect(await invoke()).toMatchObject({ name: 'NotSimulated', message: `${module}.${member} is not simulated` });
});

test('code learns of its machine what every function of the module tells but for priorities', async () => {
  const { invoke } = environment(`
    const os = require('os');
    exports.handler = async () => [os.endianness(), os.constants.signals.SIGTERM, Object.keys(os)];`);
  const [endianness, signal, names] = value(await invoke()) as [string, number, string[]];
  expect([endianness, signal]).toEqual(['LE', 15]);
  const others = Object.keys(nodeOs).filter((name) => !names.includes(name) && name !== 'default');
  expect(others.sort()).toEqual(['getPriority', 'setPriority']);
});

test('a module of Node is resolved by its name, and nothing else is', async () => {
  const { invoke } = environment(`exports.handler = async (name) => require.resolve(name);`);
  expect(value(await invoke('node:fs'))).toBe('node:fs');
  expect(await invoke('handlebars')).toMatchObject({ message: 'require.resolve of handlebars is not simulated' });
});

test('a class that refuses can be extended, as packages do when they are loaded', async () => {
  const { invoke } = environment(`
    class Own extends require('worker_threads').Worker {}
    exports.handler = async () => new Own('x');`);
  expect(await invoke()).toMatchObject({ name: 'NotSimulated', message: 'worker_threads.Worker is not simulated' });
});

test('timers of the module are those of the environment, by virtual time', async () => {
  const { invoke, world } = environment(`
    const { setTimeout: wait, setInterval: every } = require('node:timers/promises');
    exports.handler = async () => {
      const got = [await wait(60_000, 'a')];
      for await (const one of every(1_000, 'b')) if (got.push(one) === 3) break;
      return got;
    };`);
  const before = world.now;
  expect(value(await invoke())).toEqual(['a', 'b', 'b']);
  expect(world.now - before).toBeGreaterThanOrEqual(62_000);
});

test('a package that is nowhere is named', async () => {
  const { invoke } = environment(`exports.handler = async () => require('left-pad');`);
  expect(await invoke()).toMatchObject({ name: 'NoSuchModule', message: "Cannot find module 'left-pad'" });
});
