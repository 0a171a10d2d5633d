import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../../lambdas/operations/deliveries.js';
import { judgeOrder } from '../../../lambdas/operations/order-verdict.js';
import type { ConsumerRecord } from '../../../packages/operator/records/consumer-records.js';
import { APPROVED, commit, DONE, facts, type Given, PLACED, RESERVED, RESERVING, time } from './facts.js';

const DAY = 86_400;

const verdictOf = (given?: Given) => judgeOrder(facts(given)).verdict;

const deliveryOf = (given: Given, consumer: string, type: string): Delivery | undefined =>
  judgeOrder(facts(given))
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
const without = (key: string, records: Given['records'] = DONE) =>
  Object.fromEntries(Object.entries(records).filter(([one]) => one !== key));

describe('an order', () => {
  test('an order is complete if each consumer has done each event and each command', () => {
    expect(verdictOf()).toEqual({
      state: 'complete',
      text: 'complete: 21 events, 4 commands, 14 deliveries processed, nothing twice',
    });
  });

  test('an order is pending if a record is missing, with whose and for how long', () => {
    const given = { ...RESERVING, records: without('orders-saga@0#StockReserved-1', RESERVING.records) };
    expect(verdictOf(given)).toMatchObject({
      state: 'pending',
      text: expect.stringMatching(
        /^pending: waits for reserve-stock since .*; orders-saga of StockReserved, for 12 s$/,
      ),
    });
  });

  test('an order is pending if its list shows an older version', () => {
    expect(verdictOf({ shown: 1 })).toMatchObject({
      state: 'pending',
      text: 'pending: orders-list of OrderApproved, for 12 s',
    });
  });

  test('an order is failed if a consumer failed, even if others are pending, with the command that shows it', () => {
    const records = { ...RESERVING.records, 'inventory-commands@0#ReserveStock-7': failed() };
    expect(verdictOf({ ...RESERVING, reservations: [], records })).toEqual({
      state: 'failed',
      text: expect.stringMatching(
        /^failed: inventory-commands at ReserveStock \(OrderRefused: UNKNOWN_ORDER\); waits for reserve-stock since /,
      ),
      next: 'npm run -s orderly -- failures show inventory-commands ReserveStock-7',
    });
  });

  test('an order is failed if its relay could not publish, with the commit as message id', () => {
    const verdict = verdictOf({ records: { ...DONE, 'relay@0#Order#o1/COMMIT#0000000002': failed() } });
    expect(verdict).toMatchObject({
      state: 'failed',
      next: "npm run -s orderly -- failures show relay 'Order#o1/COMMIT#0000000002'",
    });
  });

  test('an order is failed if a projection failed, though the list shows a newer version', () => {
    expect(verdictOf({ records: { ...DONE, 'orders-list@0#OrderPlaced-1': failed() } }).state).toBe('failed');
  });

  test('an order is failed if one cause led to two commits', () => {
    const again = commit('Reservation', 2, 'ReservationVoided', 'ReserveStock-7');
    const report = judgeOrder(facts({ reservations: [RESERVED, again] }));
    expect(report.doneTwice).toEqual([{ subject: 'Reservation/o1', trigger: 'ReserveStock-7', versions: [1, 2] }]);
    expect(report.verdict).toMatchObject({
      state: 'failed',
      text: 'failed: ReserveStock-7 was applied twice to Reservation/o1, as versions 1 and 2',
    });
  });

  test('an order is failed if a step had its effect twice, by two commands', () => {
    const again = commit('Reservation', 2, 'StockReserved', 'ReserveStock-again');
    const report = judgeOrder(facts({ reservations: [RESERVED, again] }));
    expect(report.doneTwice).toEqual([{ subject: 'Reservation/o1', type: 'StockReserved', versions: [1, 2] }]);
    expect(report.verdict).toMatchObject({
      state: 'failed',
      text: 'failed: StockReserved happened twice in Reservation/o1, as versions 1 and 2',
    });
  });

  test('an order is failed if it waits and nothing is on its way', () => {
    const nothing = { told: [], prices: [], account: [], reservations: [], payments: [] };
    const gone = { 'orders-saga@0#OrderPlaced-1': discarded() };
    expect(verdictOf({ ...nothing, orders: [PLACED], status: 'PENDING', records: gone })).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(/nothing is on its way/),
    });
  });

  test('an unknown order is failed if something was reserved for it', () => {
    const nothing = { orders: [], told: [], prices: [], account: [], payments: [], shown: 0 };
    expect(verdictOf({ ...nothing, status: 'NONE' })).toMatchObject({
      state: 'failed',
      text: 'failed: there is no order o1, but Reservation/o1',
    });
  });

  test('an order is complete if its failures were discarded, and says so', () => {
    const given = { records: { ...DONE, 'accounts-orders@0#OrderApproved-2': discarded() } };
    expect(verdictOf(given)).toMatchObject({
      state: 'complete',
      text: expect.stringMatching(/13 deliveries processed, .*; 1 discarded$/),
    });
    expect(deliveryOf(given, 'accounts-orders', 'OrderApproved')).toMatchObject({ reason: 'by olga: a test' });
  });
});

describe('a delivery', () => {
  test('a delivery that waits in a window delays nothing, and says in which window', () => {
    const collected = failed({ status: 'PENDING', window: '2026-01-05' });
    const given = { records: { ...DONE, 'accounts-orders@0#OrderApproved-2': collected } };
    expect(verdictOf(given)).toMatchObject({
      state: 'complete',
      text: expect.stringMatching(/13 deliveries processed, .*; 1 collected until their windows close$/),
    });
    expect(deliveryOf(given, 'accounts-orders', 'OrderApproved')).toMatchObject({
      state: 'collected',
      reason: 'in 2026-01-05',
    });
  });

  const missing = without('inventory-commands@0#ReserveStock-7');

  test('a delivery without a trace is pending while a queue can hold it, then lost, and unknown once records expire', () => {
    const records = without('orders-saga@0#StockReserved-1', RESERVING.records);
    const at = (after: number) => deliveryOf({ ...RESERVING, records, after }, 'orders-saga', 'StockReserved')?.state;
    expect([at(23 * DAY), at(23 * DAY + 1), at(35 * DAY), at(35 * DAY + 1)]).toEqual([
      'pending',
      'lost',
      'lost',
      'expired',
    ]);
  });

  test('a delivery is unknown once a record of before a longer window would have expired', () => {
    const records = without('orders-saga@0#StockReserved-1', RESERVING.records);
    const window = [
      { from: '1970-01-01T00:00:00.000Z', seconds: 35 * DAY },
      { from: time(20 * DAY), seconds: 60 * DAY },
    ];
    const at = (after: number) =>
      deliveryOf({ ...RESERVING, records, window, after }, 'orders-saga', 'StockReserved')?.state;
    expect([at(35 * DAY), at(36 * DAY)]).toEqual(['lost', 'expired']);
  });

  test('a delivery of a command is lost as an event’s is', () => {
    const records = without('inventory-commands@0#ReserveStock-7', RESERVING.records);
    expect(verdictOf({ ...RESERVING, reservations: [], records, after: 30 * DAY })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('lost: ReserveStock on its way to inventory-commands'),
    });
  });

  test('a delivery without a record is processed if its effect is there', () => {
    const given = { records: missing, after: 400 * DAY };
    expect(deliveryOf(given, 'inventory-commands', 'ReserveStock')).toMatchObject({
      state: 'processed',
      at: RESERVED.at,
    });
  });

  test('a delivery to a list that still shows an older version after so long is lost, however old', () => {
    expect(verdictOf({ shown: 1, after: 400 * DAY })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('lost: OrderApproved on its way to orders-list'),
    });
  });

  test('a delivery of a commit with a discarded publication will not come, be it an event or a command', () => {
    const records = {
      'relay@0#Order#o1/COMMIT#0000000001': discarded(),
      'relay@0#CreateOrderSaga#o1/COMMIT#0000000006': discarded(),
    };
    expect(deliveryOf({ records, told: [] }, 'orders-saga', 'OrderPlaced')?.state).toBe('unsent');
    expect(deliveryOf({ records, shown: 0 }, 'orders-list', 'OrderPlaced')?.state).toBe('unsent');
    expect(deliveryOf({ records, reservations: [] }, 'inventory-commands', 'ReserveStock')?.state).toBe('unsent');
  });

  test('says where it may have been done before', () => {
    const records = { ...missing, 'inventory-commands@0#ReserveStock-7': failed({ unknown: true }) };
    expect(deliveryOf({ records }, 'inventory-commands', 'ReserveStock')?.reason).toContain(
      'may have been done before',
    );
  });

  test('goes to its subscribers, or as a command to its service, and to no others', () => {
    const { events } = judgeOrder(facts());
    const heard = events
      .map(({ type, deliveries }) => `${type} -> ${deliveries.map(({ consumer }) => consumer).join(', ')}`)
      .filter((line) => !line.endsWith('-> '));
    expect(heard).toEqual([
      'OrderPlaced -> orders-saga, orders-list',
      'OrderApproved -> accounts-orders, orders-list',
      'ConfirmPrices -> catalog-commands',
      'AuthorizeAccount -> accounts-commands',
      'ReserveStock -> inventory-commands',
      'ChargePayment -> payments-commands',
      'PricesConfirmed -> orders-saga',
      'AccountAuthorized -> orders-saga',
      'StockReserved -> orders-saga',
      'PaymentRequested -> payments-provider',
      'PaymentPrepared -> payments-provider',
      'SagaReplyRequested -> orders-saga',
    ]);
  });

  test('is in the order of time, with what a saga’s event is about', () => {
    const early = { ...RESERVED, at: time(-1) };
    const { events } = judgeOrder(facts({ reservations: [early] }));
    expect(events[0]).toMatchObject({ type: 'StockReserved', subject: 'Reservation/o1' });
    expect(events.find(({ type }) => type === 'StepSent')).toMatchObject({ details: 'confirm-prices, attempt 1' });
    expect(events.find(({ type }) => type === 'ConfirmPrices')).toMatchObject({ to: 'catalog', version: 3 });
    expect(APPROVED.at).toBe(events.at(-1)?.at);
  });
});
