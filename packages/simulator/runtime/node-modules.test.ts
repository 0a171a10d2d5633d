import { spawnSync } from 'node:child_process';
import { builtinModules, isBuiltin } from 'node:module';
import { expect, test } from 'vitest';
import { environment, value } from '../support/environments.js';

/** Modules of Node without its internals. */
const MODULES = builtinModules.filter((name) => !name.startsWith('_')).map((name) => name.replace(/^node:/, ''));

test.each(MODULES)('code may require %s', async (name) => {
  const { invoke } = environment(`exports.handler = async () => typeof require('node:${name}');`);
  expect(value(await invoke())).toMatch(/^(object|function)$/);
});

/** Members of Node's internals. */
const INTERNAL = /^_/;

/** Returns the names that are `undefined` in an environment. */
async function missing(names: readonly string[], of: string): Promise<unknown> {
  const { invoke } = environment(`exports.handler = async () => {
    const found = ${of};
    return ${JSON.stringify(names)}.filter((name) => !(name in found));
  };`);
  return value(await invoke());
}

test.each(MODULES)('each member of %s is there: it is used, or refuses by its name', async (name) => {
  const real = process.getBuiltinModule(`node:${name}`) as object;
  const names = Object.keys(real).filter((member) => !INTERNAL.test(member));
  expect(await missing(names, `require('node:${name}')`)).toEqual([]);
});

const PRINTS_GLOBALS = 'console.log(JSON.stringify(Object.getOwnPropertyNames(globalThis)))';

test('each global of Node is there', async () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', PRINTS_GLOBALS], {
    encoding: 'utf8',
  });
  // A program on the command line has the modules for globals.
  const names = (JSON.parse(stdout) as string[]).filter((name) => !isBuiltin(name));
  expect(await missing(names, 'globalThis')).toEqual([]);
});

test.each([
  ['child_process', 'exec', "('ls')"],
  ['fs', 'watch', "('/tmp')"],
  ['net', 'connect', '(443)'],
  ['dns', 'resolveMx', "('example.com', () => undefined)"],
  ['process', 'chdir', "('/tmp')"],
  ['tls', 'connect', '(443)'],
  ['dgram', 'createSocket', "('udp4')"],
  ['vm', 'runInNewContext', "('1')"],
])('what reaches outside refuses when it is used, and names itself: %s.%s', async (module, member, call) => {
  const { invoke } = environment(`exports.handler = async () => require('${module}').${member}${call};`);
  expect(await invoke()).toMatchObject({ name: 'NotSimulated', message: `${module}.${member} is not simulated` });
});

test.each([
  // winston calls it as a function.
  [
    'the module stream is the class of all streams',
    "function Own() { require('stream').call(this); } return typeof new Own();",
    'object',
  ],
  [
    'a socket is made, and connects to nothing',
    "return typeof new (require('tls').TLSSocket)(new (require('stream').PassThrough)());",
    'object',
  ],
])('packages find what they look for when they are loaded: %s', async (_, body, result) => {
  const { invoke } = environment(`exports.handler = async () => { ${body} };`);
  expect(value(await invoke())).toBe(result);
});

test('code learns of its machine', async () => {
  const { invoke } = environment(`
    const os = require('os');
    exports.handler = async () => [os.endianness(), os.constants.signals.SIGTERM];`);
  expect(value(await invoke())).toEqual(['LE', 15]);
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
