import { expect, test } from 'vitest';
import { playWithFaults } from '../search/scenario.js';
import { histories } from '../support/histories-of-shop.js';
import { openHistory, toCells } from './play.js';

test('cells of one construct stand together, in the order of the history', () => {
  const faults = [
    { point: 'Shop/Queue message 1', kind: 'delayed' },
    { point: 'Shop/Sell call 2', kind: 'refused' },
    { point: 'Shop/Sell call 1', kind: 'late' },
    { point: 'Shop/Sell call 1', kind: 'refused' },
  ] as const;
  const cells = toCells(faults, [
    { id: 'Shop/Sell call 1', kinds: ['refused', 'late'] },
    { id: 'Shop/Queue message 1', kinds: ['delayed'] },
    { id: 'Shop/Sell call 2', kinds: ['refused'] },
  ]);
  expect(cells.map(({ owner, point, kind }) => [owner, point, kind])).toEqual([
    ['Shop/Sell', 'Shop/Sell call 1', 'refused'],
    ['Shop/Sell', 'Shop/Sell call 1', 'late'],
    ['Shop/Sell', 'Shop/Sell call 2', 'refused'],
    ['Shop/Queue', 'Shop/Queue message 1', 'delayed'],
  ]);
});

const [{ scenario }] = histories.scenarios as [(typeof histories.scenarios)[number]];
const deploy = histories.deploy as NonNullable<typeof histories.deploy>;

test('a history that is watched is the same one, and tells its faults', async () => {
  const deployment = await deploy(undefined);
  const faults = [{ point: 'Shop/Sell call 1', kind: 'answer-lost' }] as const;
  const unseen = await playWithFaults(deployment, scenario, '1', faults);
  const seen = await playWithFaults(deployment, scenario, '1', faults, { isWatched: true });
  expect(seen.fingerprint).toBe(unseen.fingerprint);
  expect(unseen.cloud.happenings).toBeUndefined();
  const told = seen.cloud.happenings?.after(0).filter(({ kind }) => kind === 'fault');
  expect(told).toMatchObject([{ owner: 'Shop/Sell', id: 'Shop/Sell call 1', fault: 'answer-lost' }]);
});

test('a history that is opened has only the faults that it needs to break a promise', async () => {
  const needed = { point: 'Shop/Sell call 1', kind: 'killed-after' } as const;
  const more = { point: 'Shop/Sell call 2', kind: 'refused' } as const;
  const { faults, violations } = await openHistory(await deploy('condition'), scenario, [needed, more]);
  expect(faults).toEqual([needed]);
  expect(violations).toHaveLength(1);
});
