import { builtinModules } from 'node:module';
import { expect, test } from 'vitest';
import { environment, value } from '../support/environments.js';

/** Modules of Node without its internals. */
const MODULES = builtinModules.filter((name) => !name.startsWith('_')).map((name) => name.replace(/^node:/, ''));

/** Returns the members of Node's own module, without a call of its getters. */
const membersOfNode = (name: string) =>
  Object.getOwnPropertyDescriptors(process.getBuiltinModule(`node:${name}`) as object);

/** Restores a module of this process for the other tests. */
function restore(name: string, before: ReturnType<typeof membersOfNode>): void {
  const real = process.getBuiltinModule(`node:${name}`) as object;
  if (Object.isFrozen(real)) return;
  Reflect.deleteProperty(real, 'added');
  for (const [member, descriptor] of Object.entries(before)) {
    if (descriptor.set) Reflect.set(real, member, descriptor.get?.call(real));
    else if (descriptor.writable) Reflect.set(real, member, descriptor.value);
  }
}

const ASSIGNS = `exports.handler = async ({ name, assigns }) => {
  const module = require('node:' + name);
  const members = [...Object.keys(module), 'added'];
  const mine = 'mine';
  if (assigns)
    for (const member of members) {
      try { module[member] = mine; } catch { /* As on Node. */ }
    }
  return members.filter((member) => module[member] === mine);
};`;

test.each(MODULES)('%s is what Node gives: it has the members of all objects, and can be extended', async (name) => {
  const { invoke } = environment(`exports.handler = async ({ name }) => {
    const module = require(name);
    return [typeof module.hasOwnProperty, Object.isExtensible(module), 'default' in module];
  };`);
  const real = process.getBuiltinModule(`node:${name}`) as object;
  expect(value(await invoke({ name: `node:${name}` }))).toEqual([
    typeof real.hasOwnProperty,
    Object.isExtensible(real),
    'default' in real,
  ]);
});

test.each(MODULES)('an assignment to a member of %s reaches neither another environment nor Node', async (name) => {
  const before = membersOfNode(name);
  const [one, other] = [environment(ASSIGNS), environment(ASSIGNS)];
  const changed = value(await one.invoke({ name, assigns: true }));
  const seen = value(await other.invoke({ name }));
  const after = membersOfNode(name);
  restore(name, before);
  if (name !== 'constants') expect(changed).toContain('added');
  expect(seen).toEqual([]);
  expect(after).toEqual(before);
});

test('a module is one object, by each of its names', async () => {
  const { invoke } = environment(`exports.handler = async () => {
    const same = {
      'node:util': [require('node:util'), require('util'), require('sys'), process.getBuiltinModule('util')],
      'util/types': [require('util').types, require('util/types')],
      path: [require('path'), require('path').posix, require('path/posix'), require('path').win32.posix],
      'path/win32': [require('path').win32, require('path/win32')],
      events: [require('events'), require('events').EventEmitter],
      stream: [require('stream'), require('stream').Stream],
      'stream/promises': [require('stream').promises, require('stream/promises')],
      'assert/strict': [require('assert').strict, require('assert/strict'), require('assert/strict').strict],
      'timers/promises': [require('timers').promises, require('timers/promises')],
      'readline/promises': [require('readline').promises, require('readline/promises')],
      'fs/promises': [require('fs').promises, require('fs/promises')],
      'dns/promises': [require('dns').promises, require('dns/promises')],
    };
    return Object.keys(same).filter((name) => new Set(same[name]).size !== 1);
  };`);
  expect(value(await invoke())).toEqual([]);
});

test('modules that are classes are the classes of all that Node makes', async () => {
  const { invoke } = environment(`
    const EventEmitter = require('events');
    const Stream = require('stream');
    const util = require('util');
    class Own extends EventEmitter { constructor() { super(); this.is = 'own'; } }
    function Old() { EventEmitter.call(this); }
    util.inherits(Old, EventEmitter);
    exports.handler = async () => {
      const own = new Own();
      const heard = [];
      own.once('a', (message) => heard.push(message));
      own.emit('a', 1);
      const old = new Old();
      old.on('a', (message) => heard.push(message));
      old.emit('a', 2);
      return {
        heard,
        own: own instanceof EventEmitter && own.is,
        old: old instanceof EventEmitter,
        stream: new Stream.PassThrough() instanceof Stream,
        emitter: new Stream.PassThrough() instanceof EventEmitter,
        process: process instanceof EventEmitter,
        names: [EventEmitter.name, Stream.name, EventEmitter.length],
        once: typeof EventEmitter.once,
        defaults: [EventEmitter.defaultMaxListeners, (EventEmitter.defaultMaxListeners = 3)],
      };
    };`);
  expect(value(await invoke())).toEqual({
    heard: [1, 2],
    own: 'own',
    old: true,
    stream: true,
    emitter: true,
    process: true,
    names: ['EventEmitter', 'Stream', 1],
    once: 'function',
    defaults: [10, 3],
  });
});

test('what code adds to the arguments of its process is its own', async () => {
  const source = 'exports.handler = async () => [process.argv.push("--quiet"), process.execArgv.push("-x")];';
  const [one, other] = [environment(source), environment(source)];
  expect(value(await one.invoke())).toEqual([2, 1]);
  expect(value(await other.invoke())).toEqual([2, 1]);
});

test('packages that ask a module for its own members are loaded, as safer-buffer of Express 4', async () => {
  // safer-buffer 2.1.2, `safer.js`.
  const { invoke } = environment(`
    var buffer = require('buffer');
    var Buffer = buffer.Buffer;
    var safer = {};
    for (var key in buffer) {
      if (!buffer.hasOwnProperty(key)) continue;
      if (key === 'SlowBuffer' || key === 'Buffer') continue;
      safer[key] = buffer[key];
    }
    var Safer = (safer.Buffer = {});
    for (key in Buffer) {
      if (!Buffer.hasOwnProperty(key)) continue;
      if (key === 'allocUnsafe' || key === 'allocUnsafeSlow') continue;
      Safer[key] = Buffer[key];
    }
    exports.handler = async () => [typeof safer.kMaxLength, typeof Safer.concat];`);
  expect(value(await invoke())).toEqual(['number', 'function']);
});
