import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CountedEvent } from '../../../lambdas/rewards/domain/entries.js';
import { buildWrites, loadStanding } from '../../../lambdas/rewards/rewards-store.js';
import { readRewards } from '../../../lambdas/rewards/rewards-view.js';
import { dynamoDbTable, type Table } from '../../../packages/kit/aws/table.js';
import type { ForgottenPositions } from '../../../packages/kit/inbox/sequence-keys.js';
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
  const envelope = { epoch: 0, sequence, time };
  const writes = await buildWrites({ table, tiers }, { customerId: 'alice', event, envelope });
  if (writes.length > 0) await table.transact(writes);
  return writes;
}

const stored = (sk: string) => table.read({ pk: 'REWARDS#alice', sk });

test('a customer’s standing, entries and orders follow from the events', async () => {
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  expect(await loadStanding({ table, tiers: TIERS }, 'alice')).toMatchObject({
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
  const { standing } = await loadStanding({ table, tiers: TIERS }, 'alice');
  await table.transact([
    {
      Put: {
        TableName: 'table',
        Item: { pk: 'REWARDS#alice', sk: 'STANDING', sequence: 6, rules: 'of 1.0.0', standing: '{"points":-1}' },
      },
    },
  ]);
  const again = await loadStanding({ table, tiers: TIERS }, 'alice');
  expect(JSON.stringify(again.standing)).toBe(JSON.stringify(standing));
  await count(...EVENTS.at(-1)!);
  const rebuilt = await stored('STANDING');
  inProcessDynamoDb({ table: ['pk', 'sk'] });
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  expect(JSON.stringify(await stored('STANDING'))).toBe(JSON.stringify(rebuilt));
});

test('other tiers count for the entries of before, too', async () => {
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  const { standing } = await loadStanding({ table, tiers: { silver: 500, gold: 1_200 } }, 'alice');
  expect(standing).toMatchObject({ silverUntil: '2027-03-10', goldUntil: '2027-03-06' });
});

test('one of two writers that read the same standing is refused', async () => {
  const [[sequence, event]] = EVENTS as [(typeof EVENTS)[number]];
  const envelope = { epoch: 0, sequence, time: '2026-03-04T00:00:00.000Z' };
  const writes = await buildWrites({ table, tiers: TIERS }, { customerId: 'alice', event, envelope });
  await count(sequence, event);
  await expect(table.transact(writes)).rejects.toThrow();
});

describe('rewards after a restore of the accounts', () => {
  /** Counts the first event of an epoch, with what was forgotten. @param event absent for one that gives no points */
  async function first(position: { epoch: number; sequence: number }, after: number, event?: CountedEvent) {
    const upTo = { epoch: 0, sequence: (await loadStanding({ table, tiers: TIERS }, 'alice')).sequence };
    const forgotten: ForgottenPositions = { after: { epoch: 0, sequence: after }, upTo };
    const envelope = { ...position, time: '2026-03-20T00:00:00.000Z' };
    const writes = await buildWrites(
      { table, tiers: TIERS },
      { customerId: 'alice', envelope, forgotten, ...(event && { event }) },
    );
    if (writes.length > 0) await table.transact(writes);
    return writes;
  }
  const shown = async (query: { limit?: string; cursor?: string } = {}) =>
    readRewards({ table, tiers: TIERS }, 'alice', query as never);
  const at3 = { type: 'AuthorizationCaptured', data: { ...step('o3'), amount: eur(70_00) } } as const;

  test.each([
    ['by an event that gives points', at3, 70],
    ['by an event that gives none', undefined, 0],
  ] as const)('points for what was forgotten are taken back %s', async (_, event, points) => {
    for (const [sequence, one] of EVENTS) await count(sequence, one);
    await first({ epoch: 1, sequence: 6 }, 5, event);
    const page = await shown();
    expect(page.points).toBe(600 + 600 + points);
    expect(page.entries.map((entry) => entry.points)).toEqual([...(event ? [70] : []), 600, 600]);
    // What was forgotten is known, and so is a repeat.
    expect(await count(9, EVENTS[3]![1])).toEqual([]);
    expect(await first({ epoch: 1, sequence: 6 }, 5, event)).toEqual([]);
  });

  test('pages of entries leave out what was forgotten', async () => {
    for (const [sequence, one] of EVENTS) await count(sequence, one);
    await first({ epoch: 1, sequence: 6 }, 5, at3);
    const pages: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const { entries, nextCursor } = await shown({ limit: 1, ...(cursor && { cursor }) } as never);
      pages.push(...entries.map((entry) => entry.points));
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    expect(pages).toEqual([70, 600, 600]);
  });

  test('an order counts as it did before the forgotten refund, to the last cent', async () => {
    for (const [sequence, one] of EVENTS) await count(sequence, one);
    // The refund of o1 was forgotten, and is made again: 600.50 less 0.60 are 599 points.
    const refund = { type: 'AccountRefunded', data: { ...step('o1'), refundId: 'r2', amount: eur(60) } } as const;
    await first({ epoch: 1, sequence: 6 }, 5, refund);
    expect((await shown()).entries[0]).toMatchObject({ points: -1 });
    expect(await stored('ORDER#o1')).toMatchObject({ order: '{"orderId":"o1","amount":59990,"currency":"EUR"}' });
  });

  test('an order whose charge was forgotten begins again', async () => {
    for (const [sequence, one] of EVENTS) await count(sequence, one);
    await first({ epoch: 1, sequence: 4 }, 3, EVENTS[1]![1]);
    expect((await shown()).points).toBe(600 + 600);
  });

  test('everything begins again for an account that was forgotten altogether', async () => {
    for (const [sequence, one] of EVENTS) await count(sequence, one);
    await first({ epoch: 1, sequence: 1 }, 0);
    expect(await shown()).toMatchObject({ points: 0, tier: 'BASIC', entries: [] });
  });

  test('entries of a later epoch follow those of an earlier one, also where all are folded again', async () => {
    for (const [sequence, one] of EVENTS) await count(sequence, one);
    await first({ epoch: 1, sequence: 6 }, 5, at3);
    await first({ epoch: 2, sequence: 7 }, 6, { ...at3, data: { ...step('o4'), amount: eur(5_00) } });
    const { standing } = await loadStanding({ table, tiers: { silver: 500, gold: 1_200 } }, 'alice');
    const { points } = await shown();
    expect([standing.points, points]).toEqual([points, points]);
  });

  test('rows of the release before have no positions of their own, and count the same', async () => {
    for (const [sequence, one] of EVENTS) await count(sequence, one);
    for (const sk of [
      'ORDER#o1',
      'ORDER#o2',
      ...EVENTS.map(([sequence]) => `ENTRY#${String(sequence).padStart(10, '0')}`),
    ]) {
      const { order, sequence: _, ...item } = (await stored(sk)) ?? {};
      await table.transact([
        { Put: { TableName: 'table', Item: sk.startsWith('ORDER') ? { ...item, order } : item } as never },
      ]);
    }
    const refund = { type: 'AccountRefunded', data: { ...step('o2'), refundId: 'r2', amount: eur(600_00) } } as const;
    await first({ epoch: 1, sequence: 6 }, 5, refund);
    expect((await shown()).points).toBe(600);
  });
});

test.each([
  ['silver', { ...TIERS, silver: 1_300 }, { points: 1_150 }, ['silverUntil']],
  ['gold', { ...TIERS, gold: 1_100 }, { silverUntil: '2027-03-10', goldUntil: '2027-03-10' }, []],
] as const)('a change of the tier of %s alone folds a standing again', async (_, tiers, shown, absent) => {
  for (const [sequence, event] of EVENTS) await count(sequence, event);
  const { standing } = await loadStanding({ table, tiers }, 'alice');
  expect(standing).toMatchObject(shown);
  for (const name of absent) expect(standing).not.toHaveProperty(name);
});
