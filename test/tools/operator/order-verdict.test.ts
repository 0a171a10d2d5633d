import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../../tools/operator/deliveries.js';
import { judge } from '../../../tools/operator/order-verdict.js';
import type { ConsumerRecord } from '../../../tools/operator/records.js';
import { APPROVED, commit, DONE, facts, type Given, PLACED, RESERVED, time } from './facts.js';

const DAY = 86_400;

const verdictOf = (given?: Given) => judge(facts(given)).verdict;

const deliveryOf = (given: Given, consumer: string, type: string): Delivery | undefined =>
  judge(facts(given))
    .events.find((event) => event.type === type)
    ?.deliveries.find((one) => one.consumer === consumer);

const failed = (more: Partial<ConsumerRecord> = {}): ConsumerRecord => ({
  pk: 'p',
  status: 'FAILED',
  failedAt: time(2),
  failures: [{ at: time(2), name: 'OrderRefused', message: 'UNKNOWN_ORDER', stack: [] }],
  ...more,
});
const discarded = (): ConsumerRecord =>
  failed({ status: 'DISCARDED', discardedAt: time(3), discardedBy: 'olga', discardReason: 'a test' });
const without = (key: string) => Object.fromEntries(Object.entries(DONE).filter(([one]) => one !== key));

describe('an order', () => {
  test('is complete where each consumer has done each event', () => {
    expect(verdictOf()).toEqual({
      state: 'complete',
      text: 'complete: 3 events, 4 deliveries processed, nothing twice',
    });
  });

  test('is pending where a record is missing, with whose and for how long', () => {
    const given = { orders: [PLACED], records: without('orders-stock@0#StockReserved-1') };
    expect(verdictOf(given)).toMatchObject({
      state: 'pending',
      text: 'pending: orders-stock of StockReserved, for 12 s',
    });
  });

  test('is pending where its list shows an older version', () => {
    expect(verdictOf({ shown: 1 })).toMatchObject({
      state: 'pending',
      text: 'pending: orders-list of OrderApproved, for 12 s',
    });
  });

  test('is failed where a consumer failed, even where others are pending, with the command that shows it', () => {
    expect(verdictOf({ records: { 'reservations@0#OrderPlaced-1': failed() } })).toEqual({
      state: 'failed',
      text: 'failed: reservations at OrderPlaced (OrderRefused: UNKNOWN_ORDER)',
      next: 'npm run -s orderly -- failures show reservations OrderPlaced-1',
    });
  });

  test('is failed where its relay could not publish, with the commit as message id', () => {
    const verdict = verdictOf({ records: { ...DONE, 'relay@0#Order#o1/COMMIT#0000000002': failed() } });
    expect(verdict).toMatchObject({
      state: 'failed',
      next: "npm run -s orderly -- failures show relay 'Order#o1/COMMIT#0000000002'",
    });
  });

  test('is failed where a projection failed, though the list shows a newer version', () => {
    expect(verdictOf({ records: { ...DONE, 'orders-list@0#OrderPlaced-1': failed() } }).state).toBe('failed');
  });

  test('is failed where one cause led to two commits', () => {
    const again = commit('Order', 3, 'OrderApproved', 'StockReserved-1');
    const report = judge(facts({ orders: [PLACED, APPROVED, again] }));
    expect(report.doneTwice).toEqual([{ subject: 'Order/o1', trigger: 'StockReserved-1', versions: [2, 3] }]);
    expect(report.verdict).toMatchObject({
      state: 'failed',
      text: 'failed: StockReserved-1 was applied twice to Order/o1, as versions 2 and 3',
    });
  });

  test('is failed where it waits and nothing is on its way', () => {
    const given = { orders: [PLACED], reservations: [], status: 'PENDING' } as const;
    const gone = { 'reservations@0#OrderPlaced-1': discarded() };
    expect(verdictOf({ ...given, records: gone })).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(/nothing is on its way/),
    });
  });

  test('that nobody knows is failed where something was reserved for it', () => {
    expect(verdictOf({ orders: [], status: 'NONE', shown: 0 })).toMatchObject({
      state: 'failed',
      text: 'failed: there is no order o1, but Reservation/o1',
    });
  });

  test('is complete where what failed was discarded, and says so', () => {
    const given = { records: { ...DONE, 'orders-stock@0#StockReserved-1': discarded() } };
    expect(verdictOf(given)).toMatchObject({
      state: 'complete',
      text: expect.stringMatching(/3 deliveries processed, .*; 1 discarded$/),
    });
    expect(deliveryOf(given, 'orders-stock', 'StockReserved')).toMatchObject({ reason: 'by olga: a test' });
  });
});

describe('a delivery', () => {
  const missing = without('reservations@0#OrderPlaced-1');

  test('without a trace is pending as long as a queue can hold it, then lost, and not known once records expire', () => {
    const records = without('orders-stock@0#StockReserved-1');
    const at = (after: number) =>
      deliveryOf({ orders: [PLACED], records, after }, 'orders-stock', 'StockReserved')?.state;
    expect([at(23 * DAY), at(23 * DAY + 1), at(35 * DAY), at(35 * DAY + 1)]).toEqual([
      'pending',
      'lost',
      'lost',
      'expired',
    ]);
  });

  test('without a record is processed where its effect is there', () => {
    const given = { records: missing, after: 400 * DAY };
    expect(deliveryOf(given, 'reservations', 'OrderPlaced')).toMatchObject({ state: 'processed', at: RESERVED.at });
  });

  test('to a list that still shows an older version after so long is lost, however old', () => {
    expect(verdictOf({ shown: 1, after: 400 * DAY })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('lost: OrderApproved on its way to orders-list'),
    });
  });

  test('of an event whose publication was discarded will not come', () => {
    const records = { 'relay@0#Order#o1/COMMIT#0000000001': discarded() };
    expect(deliveryOf({ records, reservations: [] }, 'reservations', 'OrderPlaced')?.state).toBe('unsent');
    expect(deliveryOf({ records, shown: 0 }, 'orders-list', 'OrderPlaced')?.state).toBe('unsent');
  });

  test('says where it may have been done before', () => {
    const records = { ...missing, 'reservations@0#OrderPlaced-1': failed({ unknown: true }) };
    expect(deliveryOf({ records }, 'reservations', 'OrderPlaced')?.reason).toContain('may have been done before');
  });

  test('goes to those who listen, and to nobody else', () => {
    const released = commit('Reservation', 2, 'StockReleased', 'x');
    const { events } = judge(facts({ reservations: [RESERVED, released] }));
    const heard = events.map(({ type, deliveries }) => [type, deliveries.map(({ consumer }) => consumer)]);
    expect(heard).toEqual([
      ['OrderPlaced', ['reservations', 'orders-list']],
      ['OrderApproved', ['orders-list']],
      ['StockReserved', ['orders-stock']],
      ['StockReleased', []],
    ]);
  });
});
