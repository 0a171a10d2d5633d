import { expect, test } from 'vitest';
import { type History, playSeed, playWithFaults, type Scenario } from '../../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { readOne } from '../scenarios/place-one.js';
import { commandOf, replay, replayOf, toldOf } from './replay.js';

/** Splits a command line into arguments like a shell. */
const words = (command: string): readonly string[] =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '').slice(4);

const deployment = loadSharedDeployment(prodAssembly());

/** The first history by a seed that has several faults. */
async function firstWild(): Promise<History> {
  for (let seed = 0; ; seed++) {
    const history = await playSeed(deployment, readOne, String(seed));
    if (history.faults.length >= 2) return history;
  }
}
let wild: Promise<History> | undefined;
/** The same one for all tests. */
const wildOne = (): Promise<History> => (wild ??= firstWild());

test.each([
  { by: 'seeds', faults: 'all' },
  { by: 'seeds', faults: 'none' },
  { by: 'singles', faults: 'one' },
] as const)(
  'the command of a history found by $by with $faults of its faults plays it again, to the byte',
  async ({ by, faults }) => {
    const { faults: all, seed: wildSeed } = await wildOne();
    const seed = by === 'seeds' ? wildSeed : 'singles';
    const only = { all, one: all.slice(0, 1), none: [] }[faults];
    const found =
      by === 'seeds'
        ? await playSeed(deployment, readOne, seed, { only })
        : await playWithFaults(deployment, readOne, seed, only);
    expect(found.faults).toEqual(only);
    const again = await replay(replayOf(words(commandOf(found, by))));
    expect(again.fingerprint).toBe(found.fingerprint);
  },
);

test('a broken seed is reported with its fewest faults, and with the command that plays only those', async () => {
  const violations = [{ invariant: 'no fault is made', detail: '' }];
  const fragile: Scenario = {
    ...readOne,
    play: async (cloud) => {
      await readOne.play(cloud);
      return cloud.faults.injected.length > 0 ? violations : [];
    },
  };
  const history = { ...(await wildOne()), scenario: fragile, violations };
  const told = await toldOf(deployment, history);
  const [command = ''] = /npm run simulate .*/.exec(told) ?? [];
  expect(command).toContain(`--scenario read-one --seed ${history.seed} --fault`);
  const { fault = [] } = replayOf(words(command));
  expect(fault).toHaveLength(1);
  expect(history.faults.map(({ point, kind }) => `${point}: ${kind}`)).toContain(fault[0]);
});
