import { expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { effort } from '../support/simulation/effort.js';
import { accountLaneOne } from './scenarios/account-lanes.js';
import { laneByItself, laneOne } from './scenarios/lanes.js';

const deployment = loadSharedDeployment(prodAssembly());

test('keeps its promises with any single fault', async () => {
  const share = { part: 0, of: effort({ whole: 80, quick: 100 }) };
  const { runs, broken } = await playSingleFaults(deployment, laneOne, { share, stopAtFirst: true });
  for (const history of broken) expect.fail(renderReport(history, 'singles of lane-one'));
  expect(runs).toBeGreaterThan(5);
});

test('a SKU that becomes hot by itself takes the lane, whose writer reads nothing', async () => {
  const { violations, cloud } = await playWithFaults(deployment, laneByItself, 'calm');
  expect(violations).toEqual([]);
  const written = cloud.tableCalls.filter(({ fn }) => fn === 'Inventory/CommandsLane/Writer');
  expect(new Set(written.map(({ operation }) => operation))).toEqual(new Set(['TransactWriteItems']));
});

test('each right of the lane of accounts is used', async () => {
  const { violations, cloud } = await playWithFaults(deployment, accountLaneOne, 'calm');
  expect(violations).toEqual([]);
  const unused = [...cloud.iam.listUnused()].filter(
    (right) => right.includes('AccountsLane') && !right.includes('s3:'),
  );
  // Only a charge that settles nothing checks that its order is unchanged.
  expect(unused).toEqual([expect.stringMatching('ConditionCheckItem')]);
});

test('each right of the lane is used', async () => {
  const { cloud } = await playWithFaults(deployment, laneOne, 'calm');
  // Only a batch that is given up is saved in the bucket.
  const unused = [...cloud.iam.listUnused()].filter(
    (right) => right.includes('CommandsLane') && !right.includes('s3:'),
  );
  expect(unused).toEqual([]);
});
