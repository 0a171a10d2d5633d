import { expect, test } from 'vitest';
import { deploymentOf } from '../../../packages/simulator/cloud.js';
import { playSeed, playWith, type Scenario } from '../../../packages/simulator/search/scenario.js';
import { readOne } from '../scenarios/place-one.js';
import { prodAssembly } from '../support/assembly.js';
import { commandOf, replay, replayOf, toldOf } from './replay.js';

/** Splits a command line into arguments like a shell. */
const words = (command: string): readonly string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '').slice(4);

const deployment = deploymentOf(prodAssembly());

test.each([
  { by: 'seeds', faults: 'all' },
  { by: 'seeds', faults: 'one' },
  { by: 'seeds', faults: 'none' },
  { by: 'singles', faults: 'one' },
  { by: 'singles', faults: 'none' },
] as const)(
  'the command of a history found by $by with $faults of its faults plays it again, to the byte',
  async ({ by, faults }) => {
    let wild = await playSeed(deployment, readOne, '0');
    for (let next = 1; wild.faults.length < 2; next++) wild = await playSeed(deployment, readOne, String(next));
    const seed = by === 'seeds' ? wild.seed : 'singles';
    const only = { all: wild.faults, one: wild.faults.slice(0, 1), none: [] }[faults];
    const found =
      by === 'seeds'
        ? await playSeed(deployment, readOne, seed, { only })
        : await playWith(deployment, readOne, seed, only);
    expect(found.faults).toEqual(only);
    const again = await replay(replayOf(words(commandOf(found, by))));
    expect(again.fingerprint).toBe(found.fingerprint);
  },
);

test('a broken seed is reported with its fewest faults, and with the command that plays only those', async () => {
  const fragile: Scenario = {
    ...readOne,
    play: async (cloud) => {
      await readOne.play(cloud);
      return cloud.faults.made.length > 0 ? [{ invariant: 'no fault is made', detail: '' }] : [];
    },
  };
  let wild = await playSeed(deployment, fragile, '0');
  for (let next = 1; wild.faults.length < 2; next++) wild = await playSeed(deployment, fragile, String(next));
  const told = await toldOf(deployment, wild);
  const [command = ''] = /npm run simulate .*/.exec(told) ?? [];
  expect(command).toContain(`--scenario read-one --seed ${wild.seed} --fault`);
  const { fault = [] } = replayOf(words(command));
  expect(fault).toHaveLength(1);
  expect(wild.faults.map(({ point, kind }) => `${point}: ${kind}`)).toContain(fault[0]);
});
