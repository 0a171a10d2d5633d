import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { Assembly } from '../assembly/assembly.js';
import { type Cloud, Deployment } from '../cloud/cloud.js';
import { Environment } from '../runtime/environment.js';
import { createCloud, functionResource, writeAssembly } from '../support/clouds.js';
import { playSeed, type Scenario } from './scenario.js';

/** A scenario whose trace tells what its function says. */
const scenario: Scenario = {
  name: 'kept',
  faultProbability: 0,
  async play(cloud: Cloud) {
    for (let times = 0; times < 3; times++) {
      cloud.fn('Shop/Work').invoke({}, (result) => cloud.world.note(JSON.stringify(result)));
      await cloud.world.settle();
    }
    return [];
  },
};

/** Modules that keep something between invocations. */
const MODULES = {
  // As npm's uuid, 9.0.1, `src/rng.js`.
  'a pool of random bytes': `const crypto = require('node:crypto');
    const pool = new Uint8Array(256); let next = pool.length;
    exports.handler = async () => {
      if (next > pool.length - 16) { crypto.randomFillSync(pool); next = 0; }
      return Buffer.from(pool.slice(next, (next += 16))).toString('hex');
    };`,
  'an id that is drawn when it is loaded': `const id = require('node:crypto').randomUUID(); exports.handler = async () => id;`,
  'a counter': 'let count = 0; exports.handler = async () => ++count;',
  'an id that is drawn at the first invocation': 'let id; exports.handler = async () => (id ??= Math.random());',
};

test.each(Object.entries(MODULES))('one seed is one history with a module that keeps %s', async (_, code) => {
  const { deployment } = createCloud(functionResource('Work'), { Work: code });
  const fingerprints: string[] = [];
  for (let times = 0; times < 3; times++) fingerprints.push((await playSeed(deployment, scenario, '1')).fingerprint);
  const again = new Deployment(new Assembly(writeAssembly(functionResource('Work'), { Work: code })));
  fingerprints.push((await playSeed(again, scenario, '1')).fingerprint);
  expect(new Set(fingerprints).size).toBe(1);
});

test('random bytes of a pool are never of another history, whatever was played before', async () => {
  const code = MODULES['a pool of random bytes'];
  const { deployment } = createCloud(functionResource('Work'), { Work: code });
  for (const seed of ['2', '3']) await playSeed(deployment, scenario, seed);
  const behind = await playSeed(deployment, scenario, '1');
  const alone = await playSeed(createCloud(functionResource('Work'), { Work: code }).deployment, scenario, '1');
  expect(behind.fingerprint).toBe(alone.fingerprint);
  expect(deployment.recycles).toBe(true);
});

/** As `takeRandomBytes` of the kit: the rest of the pool is overwritten at the end of an invocation. */
const DROPPED = `const crypto = require('node:crypto');
  const pool = Buffer.alloc(1024); let next = pool.length; const seen = [];
  exports.handler = async () => {
    if (next > pool.length - 16) { crypto.randomFillSync(pool); next = 0; }
    const id = pool.toString('hex', next, (next += 16));
    LEAVE
    return id;
  };`;

test.each([
  ['pool.fill(0); next = pool.length;', 1],
  ['pool.fill(0, 0, 1000); next = pool.length;', 2],
])('a module that drops its random bytes (%s) is loaded %i times for two histories', async (leave, loads) => {
  const { deployment } = createCloud(functionResource('Work'), { Work: DROPPED.replace('LEAVE', leave) });
  const init = vi.spyOn(Environment.prototype, 'init');
  try {
    const fingerprints = [(await playSeed(deployment, scenario, '1')).fingerprint];
    await playSeed(deployment, scenario, '2');
    const count = init.mock.calls.length;
    fingerprints.push((await playSeed(deployment, scenario, '1')).fingerprint);
    expect(new Set(fingerprints).size).toBe(1);
    expect(count).toBe(loads);
  } finally {
    init.mockRestore();
  }
});

test('another process plays the same history', async () => {
  const folder = writeAssembly(functionResource('Work'), { Work: MODULES['a pool of random bytes'] });
  const here = await playSeed(new Deployment(new Assembly(folder)), scenario, '1');
  const script = `
    import { loadDeployment, playSeed } from '${new URL('../index.ts', import.meta.url).pathname}';
    const play = ${scenario.play.toString().replace(/^async play/, 'async function')};
    const { fingerprint } = await playSeed(loadDeployment('${folder}'), { name: 'kept', faultProbability: 0, play }, '1');
    console.log(fingerprint);`;
  const there = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(there.trim()).toBe(here.fingerprint);
});
