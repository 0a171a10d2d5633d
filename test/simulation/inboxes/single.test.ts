import { expect, test } from 'vitest';
import { playWith } from '../../../packages/simulator/search/scenario.js';
import { deployment, keepPromises } from './playing.js';
import { recordsIn } from './shop.js';
import { frozenParcel, PLAIN_NAMES, parcelsOfAllKinds, SLOW_NAMES, slowParcels } from './single.js';

/** An inbox in mode single as it is deployed: nothing but the record of a message guards its effect. */

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
  expect([...cloud.iam.unused()].filter((right) => /RunParcels|ParcelsInbox/.test(right))).toEqual([
    'RunParcels/Role/DefaultPolicy: dynamodb:GetItem',
    'RunParcels/Role/DefaultPolicy: sqs:ChangeMessageVisibility',
  ]);
});

test('slow handlers (3 minutes) delay neither the queue nor the parcels behind them', async () => {
  const seen: { waiting?: number; statuses?: Record<string, unknown> } = {};
  const scenario = slowParcels((cloud) => {
    const records = recordsIn(cloud).filter(({ messageId }) => messageId !== undefined);
    seen.statuses = Object.fromEntries(records.map(({ messageId, status }) => [messageId, status]));
    seen.waiting = cloud.queue('Parcels/Queue').all().length;
  });
  const { violations } = await playWith(deployment, scenario, 'singles');
  expect(violations).toEqual([]);
  expect(seen).toEqual({
    waiting: 0,
    statuses: {
      ...Object.fromEntries(SLOW_NAMES.map((name) => [name, 'PENDING'])),
      ...Object.fromEntries(PLAIN_NAMES.map((name) => [name, 'PROCESSED'])),
    },
  });
});

test('a runner that lost its lease commits nothing', async () => {
  const { violations, cloud } = await playWith(deployment, frozenParcel, 'singles');
  expect(violations).toEqual([]);
  expect(recordsIn(cloud).find(({ messageId }) => messageId === 'frozen')).toMatchObject({ fence: 3 });
  expect(cloud.log.filter(({ text }) => text.includes('"lost"'))).toHaveLength(1);
});

keepPromises([parcelsOfAllKinds, frozenParcel], 240);
