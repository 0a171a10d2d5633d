import { expect, test } from 'vitest';
import { playWithFaults } from '../../../packages/simulator/search/scenario.js';
import { deployment, keepPromises } from './playing.js';
import { ofShop, recordsIn } from './shop.js';
import {
  frozenParcel,
  PLAIN_NAMES,
  parcelsOfAllKinds,
  pausesOf,
  SLOW_NAMES,
  slowParcels,
  undelayedParcel,
} from './single.js';

/** An inbox in mode single as it is deployed: nothing but the record of a message guards its effect. */

test('each parcel ends as its handler says without a fault', async () => {
  const { violations, cloud } = await playWithFaults(deployment, parcelsOfAllKinds, 'singles');
  expect(violations).toEqual([]);
  const ends = recordsIn(cloud).flatMap(({ messageId, status, attempts, fence }) =>
    status === undefined ? [] : [`${messageId} ${status}, attempt ${attempts}, fence ${fence}`],
  );
  expect(ends.toSorted()).toEqual([
    'orderly.shop:broken FAILED, attempt 4, fence 4',
    'orderly.shop:flaky PROCESSED, attempt 3, fence 3',
    // It gave its message back once.
    'orderly.shop:paged PROCESSED, attempt 1, fence 2',
    'orderly.shop:plain PROCESSED, attempt 1, fence 1',
    'orderly.shop:refused FAILED, attempt 1, fence 1',
    'orderly.shop:slow PROCESSED, attempt 1, fence 1',
  ]);
  // CDK gives the second one to each reader of a queue; the first one is for a lost answer.
  expect([...cloud.iam.listUnused()].filter((right) => right.includes('RunParcels'))).toEqual([
    'RunParcels/Role: dynamodb:GetItem',
    'RunParcels/Role: sqs:ChangeMessageVisibility',
  ]);
});

test('pauses of 2, 4 and 6 seconds are kept, and nothing is handed out for nothing', async () => {
  const { cloud } = await playWithFaults(deployment, parcelsOfAllKinds, 'singles');
  expect(pausesOf(cloud, 'broken').map(Math.floor)).toEqual([2, 4, 6]);
  expect(cloud.log.filter(({ text }) => text.includes('"not free"'))).toEqual([]);
});

test.each([
  ['is lost', 'lost'],
  ['is not sent', 'refused'],
] as const)('the sweeper’s next tick hands out a message whose delayed hand-out %s', async (_, how) => {
  const { violations, cloud } = await playWithFaults(deployment, undelayedParcel(how), 'singles');
  expect(violations).toEqual([]);
  for (const [at, seconds] of pausesOf(cloud, 'broken').entries()) {
    // Up to the tick after the pause and the five seconds that a sweep waits for the queue.
    expect(seconds).toBeGreaterThan((at + 1) * 2 + 5);
    expect(seconds).toBeLessThan((at + 1) * 2 + 5 + 60 + 1);
  }
  // Without a fault, nobody needs the sweeper's.
  expect([...cloud.iam.listUnused()].filter((right) => right.includes('ParcelsInbox'))).toEqual([]);
});

test('slow handlers (3 minutes) delay neither the queue nor the parcels behind them', async () => {
  const seen: { waiting?: number; statuses?: Record<string, unknown> } = {};
  const scenario = slowParcels((cloud) => {
    const records = recordsIn(cloud).filter(({ messageId }) => messageId !== undefined);
    seen.statuses = Object.fromEntries(records.map(({ messageId, status }) => [messageId, status]));
    seen.waiting = cloud.queue('Parcels/Queue').listMessages().length;
  });
  const { violations } = await playWithFaults(deployment, scenario, 'singles');
  expect(violations).toEqual([]);
  expect(seen).toEqual({
    waiting: 0,
    statuses: {
      ...Object.fromEntries(SLOW_NAMES.map((name) => [ofShop(name), 'PENDING'])),
      ...Object.fromEntries(PLAIN_NAMES.map((name) => [ofShop(name), 'PROCESSED'])),
    },
  });
});

test('a runner that lost its lease commits nothing', async () => {
  const { violations, cloud } = await playWithFaults(deployment, frozenParcel, 'singles');
  expect(violations).toEqual([]);
  expect(recordsIn(cloud).find(({ messageId }) => messageId === ofShop('frozen'))).toMatchObject({ fence: 3 });
  expect(cloud.log.filter(({ text }) => text.includes('"lost"'))).toHaveLength(1);
});

keepPromises([parcelsOfAllKinds, frozenParcel], 240);
