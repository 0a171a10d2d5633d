import { describe, expect, test } from 'vitest';
import { judgeOrder } from '../../../lambdas/operations/order-verdict.js';
import type { ConsumerRecord } from '../../../packages/operator/records/consumer-records.js';
import {
  APPROVED,
  AUTHORIZED,
  CHARGED,
  commit,
  DONE,
  facts,
  type Given,
  PLACED,
  RESERVING,
  refused,
  TIMEOUT,
  TOLD,
  time,
  undone,
} from './facts.js';

const verdictOf = (given?: Given) => judgeOrder(facts(given)).verdict;
const clock = (status: ConsumerRecord['status'], more: Partial<ConsumerRecord> = {}) => ({
  ...DONE,
  'orders-saga@0#o1/timer-1': { pk: 'p', status, ...more },
});

/** Its payment is refused, and its stock released; then the account is to be. */
const RELEASING = [
  ...TOLD.slice(0, 4),
  refused('SagaReplyRequested-3', 'charge-payment', 'CARD_DECLINED'),
  undone('StockReleased-2', 'reserve-stock'),
];
const ENDED = {
  orders: [PLACED, commit('Order', 2, 'OrderRejected', 'SagaReplyRequested-3')],
  account: [],
  reservations: [],
  payments: [],
  status: 'REJECTED',
} as const;
/** Records of all that an order's events and commands lead to: everybody is through with them. */
const allDone = (given: Given): NonNullable<Given['records']> =>
  Object.fromEntries(
    judgeOrder(facts(given)).events.flatMap(({ deliveries }) =>
      deliveries.map(({ consumer, messageId }) => [`${consumer}@0#${messageId}`, { pk: 'p', status: 'PROCESSED' }]),
    ),
  );

describe('an order’s saga', () => {
  test('a saga that waits is shown with its step, since when, and when that is sent again', () => {
    const given = { ...RESERVING, reservations: [] };
    expect(verdictOf(given)).toEqual({
      state: 'pending',
      text: `pending: waits for reserve-stock since ${time(0)} (attempt 1), sent again at ${time(60)}`,
      next: 'npm run -s orderly -- order o1',
    });
  });

  describe('that is held before the charge', () => {
    const [trigger, message] = TOLD[3] ?? [];
    const told = [
      ...TOLD.slice(0, 3),
      [trigger, { ...message, holdBefore: 'charge-payment' }],
    ] as unknown as NonNullable<Given['told']>;
    const started = commit('Order', 2, 'OrderReviewStarted', String(trigger));
    const under = {
      orders: [PLACED, started],
      account: [AUTHORIZED],
      payments: [],
      status: 'UNDER_REVIEW',
      told,
    } as const;
    const later = (given: Given) => verdictOf({ ...given, records: allDone(given), after: 86_400 });

    test('waits for the review of its order, however long, and needs no timeout', () => {
      expect(later(under)).toMatchObject({
        state: 'pending',
        text: `pending: its review (; docs/operations/an-order-is-under-review.md); held before charge-payment since ${time(0)}`,
      });
    });

    test('fails an order that is not under review: nothing would release it', () => {
      expect(later({ ...under, orders: [PLACED], status: 'PENDING' })).toMatchObject({
        state: 'failed',
        text: `failed: held before charge-payment since ${time(0)}, but the order is PENDING`,
        next: 'npm run -s orderly -- sagas show o1',
      });
    });
  });

  test('a saga that has ended leaves a paid order to its review', () => {
    const started = commit('Order', 3, 'OrderReviewStarted', 'UserStatusChanged-1');
    const given = { orders: [PLACED, APPROVED, started], status: 'UNDER_REVIEW' } as const;
    expect(verdictOf({ ...given, records: allDone(given), after: 86_400 })).toMatchObject({
      state: 'pending',
      text: 'pending: its review (; docs/operations/an-order-is-under-review.md)',
    });
  });

  test('a saga that compensates is shown so', () => {
    const given = { ...ENDED, told: RELEASING };
    expect(verdictOf({ ...given, records: { ...allDone(given), ...TIMEOUT } })).toMatchObject({
      state: 'pending',
      text: expect.stringMatching(/^pending: waits for compensation of authorize-account since /),
    });
  });

  test("a saga whose timeout is overdue is shown with the alarm's heading", () => {
    const told = (after: number) => verdictOf({ ...RESERVING, reservations: [], after }).text;
    expect(told(660)).not.toContain('clock');
    expect(told(661)).toMatch(/sent again at \S+, its timeout is late \(docs\/operations\/alarms\/TimersLate\.md\)$/);
  });

  test.each([
    ['none', DONE],
    ['one that has rung', clock('PROCESSED')],
    ['one that was discarded', clock('DISCARDED')],
  ])('a saga that waits without a timeout is failed: %s', (_, records) =>
    expect(verdictOf({ ...RESERVING, records })).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(/^failed: waits for reserve-stock .*, but no timeout is scheduled$/),
      next: 'npm run -s orderly -- sagas retry o1',
    }),
  );

  test('a saga whose timeout failed is failed, with the command that shows it', () => {
    const reason = { at: time(1), name: 'Unsendable', message: 'InvalidMessageContents', stack: [] };
    expect(verdictOf({ ...RESERVING, records: clock('FAILED', { failures: [reason] }) })).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(
        /^failed: orders-saga at RingTimer \(Unsendable: Inv.*; waits for reserve-stock since /,
      ),
      next: "npm run -s orderly -- failures show orders-saga 'o1/timer-1'",
    });
  });

  test('a stuck saga is failed, with the command that says what to do', () => {
    const told = [...RELEASING, undone('SagaReplyRequested-9', 'authorize-account', 'REFUSED')];
    const given = { ...ENDED, told };
    expect(verdictOf({ ...given, records: allDone(given) })).toEqual({
      state: 'failed',
      text: `failed: stuck at compensation of authorize-account since ${time(0)}: REFUND_FAILED`,
      next: 'npm run -s orderly -- sagas show o1',
    });
  });

  test('a saga that compensated everything makes the order complete, with why', () => {
    const told = [...RELEASING, undone('AuthorizationReleased-2', 'authorize-account')];
    const given = { ...ENDED, told };
    expect(verdictOf({ ...given, records: allDone(given) })).toMatchObject({
      state: 'complete',
      text: expect.stringMatching(
        /^complete: compensated \S+: REFUSED at charge-payment: CARD_DECLINED; \d+ events, 6 commands, /,
      ),
    });
  });

  const CANCELLED = ['OrderCancelled-2', { type: 'Cancel' }] as const;
  const UNDOING = [...TOLD.slice(0, 3), CANCELLED];
  test.each([
    ['undoes', UNDOING, /its saga compensates its steps: waits for compensation of reserve-stock since /],
    [
      'is stuck at compensation of',
      [...UNDOING, undone('SagaReplyRequested-9', 'reserve-stock', 'REFUSED')],
      /its saga compensates its steps: stuck at compensation of reserve-stock since /,
    ],
    [
      'undid',
      [
        ...UNDOING,
        undone('ReservationVoided-2', 'reserve-stock'),
        undone('AuthorizationReleased-2', 'authorize-account'),
      ],
      /its saga compensates its steps: compensated \S+: CANCELLED$/,
    ],
  ] as const)('a saga that %s an approved order fails it', (_, told, text) => {
    const given = { told, account: [AUTHORIZED], payments: [] };
    expect(verdictOf({ ...given, records: { ...allDone(given), ...TIMEOUT } })).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(text),
      next: 'npm run -s orderly -- sagas show o1',
    });
  });

  test('a saga that sent a step again has done nothing twice', () => {
    const told = [...TOLD.slice(0, 3), ['retry-1', { type: 'Retry' }], ...TOLD.slice(3)] as const;
    const { doneTwice, events } = judgeOrder(facts({ told }));
    expect(doneTwice).toEqual([]);
    expect(events.filter(({ type }) => type === 'ReserveStock')).toHaveLength(2);
  });
});

describe('a refund that the provider refused for good', () => {
  const cancelled = commit('Order', 3, 'OrderCancelled', 'request-2');
  const orders = [...(facts().aggregates[0]?.commits ?? []), cancelled];
  const payments = (...last: readonly string[]) => [
    ...CHARGED,
    commit('Payment', 5, 'RefundRequested', 'OrderCancelled-3'),
    ...last.map((type, at) => commit('Payment', 6 + at, type, `RefundRequested-${5 + at}`)),
  ];
  const given = { orders, status: 'CANCELLED' } as const;
  const ended = (more: Given) => verdictOf({ ...given, ...more, records: allDone({ ...given, ...more }) });

  test('fails an order that was cancelled after its approval, since nothing else will retry the refund', () => {
    expect(ended({ payments: payments('RefundFailed') })).toMatchObject({
      state: 'failed',
      text: 'failed: its refund was refused for good (docs/operations/alarms/RefundFailed.md)',
    });
  });

  describe('a refused refund with a failure of its own', () => {
    const refunds = payments('RefundFailed');
    const recorded = (record: ConsumerRecord) => ({
      ...allDone({ ...given, payments: refunds }),
      'payments-provider@0#RefundFailed-6': record,
    });
    const failures = [{ at: time(2), name: 'RefundRefused', message: 'REFUSED_BY_PROVIDER', stack: [] }];
    const closed = { discardedAt: time(3), discardedBy: 'olga', discardReason: 'paid back by transfer' };

    test('names that, and the command that shows it', () => {
      const records = recorded({ pk: 'p', status: 'FAILED', failures });
      expect(verdictOf({ ...given, payments: refunds, records })).toMatchObject({
        state: 'failed',
        text: 'failed: payments-provider at RefundFailed (RefundRefused: REFUSED_BY_PROVIDER)',
        next: 'npm run -s orderly -- failures show payments-provider RefundFailed-6',
      });
    });

    test('the failure is complete once an operator has closed it, and says who and why', () => {
      const records = recorded({ pk: 'p', status: 'DISCARDED', failures, ...closed });
      expect(verdictOf({ ...given, payments: refunds, records })).toMatchObject({
        state: 'complete',
        text: expect.stringMatching(
          /^complete: its failed refund was closed by olga: paid back by transfer; .*; 1 discarded$/,
        ),
      });
    });

    test('a discarded publication does not close the failure', () => {
      const records = allDone({ ...given, payments: refunds });
      const { 'payments-provider@0#RefundFailed-6': _, ...others } = records;
      const relay = { 'relay@0#Payment#o1/COMMIT#0000000006': { pk: 'p', status: 'DISCARDED', ...closed } } as const;
      expect(verdictOf({ ...given, payments: refunds, records: { ...others, ...relay } })).toMatchObject({
        state: 'failed',
        text: expect.stringMatching(/^failed: its refund was refused for good /),
      });
    });
  });

  test('the failure is no longer shown once the refund was made', () => {
    expect(ended({ payments: payments('RefundFailed', 'PaymentRefunded') }).state).toBe('complete');
  });

  test('the failure belongs to the saga that compensated the order, with an operator or without', () => {
    const told = [
      ...TOLD.slice(0, 4),
      ['OrderCancelled-2', { type: 'Cancel' }],
      undone('SagaReplyRequested-7', 'charge-payment', 'REFUSED'),
      ['resolve-1', { type: 'Resolve', step: 'charge-payment', by: 'olga', note: 'paid back by hand' }],
      undone('StockReleased-2', 'reserve-stock'),
      undone('AuthorizationReleased-2', 'authorize-account'),
    ] as const;
    expect(ended({ told, payments: payments('RefundFailed') })).toMatchObject({
      state: 'complete',
      text: expect.stringMatching(/^complete: compensated \S+: CANCELLED; /),
    });
  });
});
