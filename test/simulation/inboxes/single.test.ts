import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Assembly } from '../../../packages/simulator/assembly/assembly.js';
import { Deployment } from '../../../packages/simulator/cloud.js';
import { report } from '../../../packages/simulator/search/report.js';
import { playSeed, playWith } from '../../../packages/simulator/search/scenario.js';
import { singles } from '../../../packages/simulator/search/singles.js';
import { INBOX_LAMBDAS, inboxesAssembly } from '../../support/inboxes/assembly.js';
import { INBOX_BUGS } from '../planted/inbox-bugs.js';
import { planted } from '../planted/plant.js';
import { effort } from '../support/effort.js';
import { recordsIn } from './shop.js';
import { frozenParcel, parcelsOfAllKinds } from './single.js';

/** An inbox in mode single as it is deployed: nothing but the record of a message guards its effect. */

const folder = inboxesAssembly();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const deployment = new Deployment(new Assembly(folder));
const scenarios = [parcelsOfAllKinds, frozenParcel];
/** One of so many faults is played; all of them with ORDERLY_EVERY_FAULT. */
const OF = process.env.ORDERLY_EVERY_FAULT ? 1 : effort({ whole: 12, quick: 60 });

test('without a fault, each parcel ends as its handler says', async () => {
  const { violations, cloud } = await playWith(deployment, parcelsOfAllKinds, 'singles');
  expect(violations).toEqual([]);
  const ends = recordsIn(cloud).flatMap(({ messageId, status, attempts, fence }) =>
    status === undefined ? [] : [`${messageId} ${status}, attempt ${attempts}, fence ${fence}`],
  );
  expect(ends.toSorted()).toEqual([
    'broken FAILED, attempt 4, fence 4',
    'flaky PROCESSED, attempt 3, fence 3',
    // It gave its message back once.
    'paged PROCESSED, attempt 1, fence 2',
    'plain PROCESSED, attempt 1, fence 1',
    'refused FAILED, attempt 1, fence 1',
    'slow PROCESSED, attempt 1, fence 1',
  ]);
  // CDK gives the second one to each reader of a queue; the first one is for a lost answer.
  expect([...cloud.iam.unused()].filter((right) => /Run|Dispatcher|Sweeper/.test(right))).toEqual([
    'RunParcels/Role/DefaultPolicy: dynamodb:GetItem',
    'RunParcels/Role/DefaultPolicy: sqs:ChangeMessageVisibility',
  ]);
});

test('a runner that lost its lease commits nothing', async () => {
  const { violations, cloud } = await playWith(deployment, frozenParcel, 'singles');
  expect(violations).toEqual([]);
  expect(recordsIn(cloud).find(({ messageId }) => messageId === 'frozen')).toMatchObject({ fence: 3 });
  expect(cloud.log.filter(({ text }) => text.includes('"lost"'))).toHaveLength(1);
});

test.each(scenarios)('$name keeps its promises with any single fault', async (scenario) => {
  const { runs, broken } = await singles(deployment, scenario, { first: true, share: { part: 0, of: OF } });
  for (const history of broken) expect.fail(report(history, `singles of ${scenario.name}`));
  expect(runs).toBeGreaterThan(240 / OF);
});

test.runIf(process.env.ORDERLY_SEEDS).each(scenarios)('$name keeps its promises by seeds', async (scenario) => {
  for (let seed = 0; seed < Number(process.env.ORDERLY_SEEDS); seed++) {
    const history = await playSeed(deployment, scenario, String(seed));
    if (history.violations.length > 0) expect.fail(report(history, `seed ${seed} of ${scenario.name}`));
  }
});

const bugs = INBOX_BUGS.filter(({ scenario }) => scenarios.some(({ name }) => name === scenario));
test.each(bugs.map((bug) => [bug.name, bug] as const))('it is found when %s', async (_, bug) => {
  const scenario = scenarios.find(({ name }) => name === bug.scenario) ?? expect.fail(bug.scenario);
  const broken = await planted(folder, bug, INBOX_LAMBDAS);
  const found = bug.by
    ? (await singles(broken, scenario, { kinds: [bug.by], first: true })).broken
    : [await playWith(broken, scenario, 'singles')].filter(({ violations }) => violations.length > 0);
  expect(found).not.toEqual([]);
});
