import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { CountedEvent } from '../../../lambdas/rewards/domain/entries.js';
import { standingOf, writesOf } from '../../../lambdas/rewards/rewards-store.js';
import { dynamoDbTable, type Table } from '../../../packages/kit/aws/table.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const TIERS = { silver: 1_000, gold: 5_000 };
const step = (orderId: string) => ({ customerId: 'alice', orderId, stepId: `${orderId}/step` });
const eur = (amount: number) => ({ amount, currency: 'EUR' });
/** Events of alice's account with their sequences. The missing ones give no points. */
const EVENTS: readonly (readonly [sequence: number, event: CountedEvent])[] = [
  [3, { type: 'AuthorizationCaptured', data: { ...step('o1'), amount: eur(600_50) } }],
  [5, { type: 'AuthorizationCaptured', data: { ...step('o2'), amount: eur(600_00) } }],
  [6, { type: 'AccountRefunded', data: { ...step('o1'), refundId: 'r', amount: eur(100_00) } }],
  [9, { type: 'BonusApplied', data: { customerId: 'alice', points: 50, reason: 'sealed' as never } }],
];

let table: Table;
beforeAll(() => functionEnvironment());
beforeEach(() => {
  inProcessDynamoDb({ table: ['pk', 'sk'] });
  table = dynamoDbTable('table');
});

/** Counts an event as the inbox does. @returns the writes */
async function count(sequence: number, event: CountedEvent, tiers = TIERS) {
  const time = new Date(Date.parse('2026-03-01T00:00:00.000Z') + sequence * 86_400_000).toISOString();
  const writes = await writesOf({ table, tiers }, event, { sequence, time });
  if (writes.length > 0) await table.transact(writes);
  return writes;
}

const stored = (sk: string) => table.read({ pk: 'REWARDS#alice', sk });

test('a customer’s standing, entries and orders follow from the events', async () => {
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  expect(await standingOf({ table, tiers: TIERS }, 'alice')).toMatchObject({
    sequence: 9,
    standing: { points: 600 + 600 - 100 + 50, silverUntil: '2027-03-10' },
  });
  expect(await stored('ENTRY#0000000006')).toMatchObject({
    entry: '{"at":"2026-03-07T00:00:00.000Z","type":"AccountRefunded","points":-100,"orderId":"o1"}',
  });
  expect(await stored('ORDER#o1')).toMatchObject({ order: '{"orderId":"o1","amount":50050,"currency":"EUR"}' });
});

test('a replay of the events changes nothing', async () => {
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  const before = await stored('STANDING');
  for (const [sequence, event] of EVENTS) expect(await count(sequence, event)).toEqual([]);
  expect(await stored('STANDING')).toEqual(before);
});

test('a standing that was folded again from the entries is the same, byte for byte', async () => {
  for (const [sequence, event] of EVENTS.slice(0, -1)) await count(sequence, event);
  const { standing } = await standingOf({ table, tiers: TIERS }, 'alice');
  await table.transact([
    {
      Put: {
        TableName: 'table',
        Item: { pk: 'REWARDS#alice', sk: 'STANDING', sequence: 6, rules: 'of 1.0.0', standing: '{"points":-1}' },
      },
    },
  ]);
  const again = await standingOf({ table, tiers: TIERS }, 'alice');
  expect(JSON.stringify(again.standing)).toBe(JSON.stringify(standing));
  await count(...EVENTS.at(-1)!);
  const rebuilt = await stored('STANDING');
  inProcessDynamoDb({ table: ['pk', 'sk'] });
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  expect(JSON.stringify(await stored('STANDING'))).toBe(JSON.stringify(rebuilt));
});

test('other tiers count for the entries of before, too', async () => {
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  const { standing } = await standingOf({ table, tiers: { silver: 500, gold: 1_200 } }, 'alice');
  expect(standing).toMatchObject({ silverUntil: '2027-03-10', goldUntil: '2027-03-06' });
});

test('of two writers that read the same standing, one is refused', async () => {
  const [[sequence, event]] = EVENTS as [(typeof EVENTS)[number]];
  const writes = await writesOf({ table, tiers: TIERS }, event, { sequence, time: '2026-03-04T00:00:00.000Z' });
  await count(sequence, event);
  await expect(table.transact(writes)).rejects.toThrow();
});
