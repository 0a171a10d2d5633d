import { describe, expect, test } from 'vitest';
import { type Account, accountDecider } from '../../lambdas/accounts/domain/account.js';
import { type Authorization, authorizationDecider, computeUsed } from '../../lambdas/accounts/domain/authorization.js';
import { reservationDecider } from '../../lambdas/inventory/domain/reservation.js';
import { OrderView } from '../../lambdas/orders/contract.js';
import { findReachedLimit } from '../../lambdas/orders/domain/admission.js';
import { findSubstitute } from '../../lambdas/orders/domain/create-order.js';
import { isOver, isReviewable, type Order, orderDecider, toView } from '../../lambdas/orders/domain/order.js';
import { isDoubtful } from '../../lambdas/orders/domain/review.js';
import { decide as decidePayment, type Payment, toView as paymentView } from '../../lambdas/payments/domain/payment.js';
import { UserStatus } from '../../lambdas/users/contract.js';
import { declareTableTests } from '../support/status-table.js';

/**
 * Followers of each status. A status that is new has no column: these tests are red until each function that looks at a
 * status has an expectation for it. `!CODE` is a refusal, `DONE` and `REFUSED` are answers to a saga, `-` is nothing.
 */

const now = '2026-03-01T10:00:00.000Z';
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const line = { sku: 'A', quantity: 1 };
const ids = { orderId: 'o', stepId: 'o/s' };

const placed = { orderId: 'o', customerId: 'c', lines: [{ ...line, unitPrice: eur(5) }], total: eur(5), placedAt: now };
const ORDERS = {
  NONE: { status: 'NONE' },
  PENDING: { ...placed, status: 'PENDING' },
  UNDER_REVIEW: { ...placed, status: 'UNDER_REVIEW', reviewReasons: [] },
  'UNDER_REVIEW, paid': { ...placed, status: 'UNDER_REVIEW', reviewReasons: [], paid: true },
  APPROVED: { ...placed, status: 'APPROVED' },
  DISPATCHED: { ...placed, status: 'DISPATCHED' },
  REJECTED: { ...placed, status: 'REJECTED', reason: 'OUT_OF_STOCK', skus: [] },
  CANCELLED: { ...placed, status: 'CANCELLED' },
} as const satisfies Readonly<Record<string, Order>>;

describe('an order', () => {
  const place = { orderId: 'o', customerId: 'c', lines: placed.lines };
  declareTableTests(
    'orderDecider',
    `
                  | NONE           | PENDING                            | UNDER_REVIEW                     | UNDER_REVIEW, paid                | APPROVED           | DISPATCHED          | REJECTED            | CANCELLED
Place             | OrderPlaced    | !ALREADY_PLACED                    | !ALREADY_PLACED                  | !ALREADY_PLACED                   | !ALREADY_PLACED    | !ALREADY_PLACED     | !ALREADY_PLACED     | !ALREADY_PLACED
PlaceUnattended   | OrderPlaced    | -                                  | -                                | -                                 | -                  | -                   | -                   | -
StartReview       | !UNKNOWN_ORDER | OrderReviewStarted                 | -                                | -                                 | OrderReviewStarted | -                   | -                   | -
Release           | !UNKNOWN_ORDER | -                                  | OrderReviewEnded                 | OrderReviewEnded                  | -                  | -                   | -                   | -
Review: approve   | !UNKNOWN_ORDER | !NOT_UNDER_REVIEW                  | OrderReviewEnded                 | OrderReviewEnded                  | !NOT_UNDER_REVIEW  | !NOT_UNDER_REVIEW   | !NOT_UNDER_REVIEW   | !NOT_UNDER_REVIEW
Review: reject    | !UNKNOWN_ORDER | !NOT_UNDER_REVIEW                  | OrderReviewEnded + OrderRejected | OrderReviewEnded + OrderCancelled | !NOT_UNDER_REVIEW  | !NOT_UNDER_REVIEW   | !NOT_UNDER_REVIEW   | !NOT_UNDER_REVIEW
Approve           | !UNKNOWN_ORDER | OrderApproved                      | OrderApproved                    | -                                 | -                  | -                   | -                   | -
Approve, doubtful | !UNKNOWN_ORDER | OrderApproved + OrderReviewStarted | OrderApproved                    | -                                 | -                  | -                   | -                   | -
Dispatch          | !UNKNOWN_ORDER | !NOT_APPROVED                      | !UNDER_REVIEW                    | !UNDER_REVIEW                     | OrderDispatched    | -                   | !NOT_APPROVED       | !NOT_APPROVED
Reject            | !UNKNOWN_ORDER | OrderRejected                      | OrderRejected                    | -                                 | -                  | -                   | -                   | -
Cancel            | !UNKNOWN_ORDER | OrderCancelled                     | OrderCancelled                   | OrderCancelled                    | OrderCancelled     | !TOO_LATE_TO_CANCEL | !TOO_LATE_TO_CANCEL | -
`,
    ORDERS,
    {
      Place: { type: 'Place', ...place },
      PlaceUnattended: { type: 'PlaceUnattended', ...place },
      StartReview: { type: 'StartReview', reasons: ['SUSPECT_USER'] },
      Release: { type: 'Release' },
      'Review: approve': { type: 'Review', decision: 'approve' },
      'Review: reject': { type: 'Review', decision: 'reject' },
      Approve: { type: 'Approve' },
      'Approve, doubtful': { type: 'Approve', reasons: ['SUSPECT_USER'] },
      Dispatch: { type: 'Dispatch' },
      Reject: { type: 'Reject', reason: 'OUT_OF_STOCK', skus: [] },
      Cancel: { type: 'Cancel' },
    },
    (order: Order, command) => orderDecider.decide(order, command as never, { now }),
  );

  /** Other readers of an order's status. */
  const SEEN: Readonly<Record<keyof typeof ORDERS, readonly string[]>> = {
    NONE: [],
    PENDING: ['is shown', 'counts as under way', 'may come under review'],
    UNDER_REVIEW: ['is shown', 'counts as under way'],
    'UNDER_REVIEW, paid': ['is shown', 'counts as under way', 'is over'],
    APPROVED: ['is shown', 'is over', 'may come under review'],
    DISPATCHED: ['is shown', 'is over'],
    REJECTED: ['is shown', 'is over', 'ends its saga'],
    CANCELLED: ['is shown', 'is over', 'ends its saga'],
  };
  test.each(Object.entries(SEEN))('%s', (name, expected) => {
    const order: Order = ORDERS[name as keyof typeof ORDERS];
    const view = toView(order, 1);
    const limits = { ordersUnderWay: 1, ordersPerHour: 100 };
    const seen = [
      ...(view ? ['is shown'] : []),
      ...(view && findReachedLimit([view], limits, now) ? ['counts as under way'] : []),
      ...(isOver(order) ? ['is over'] : []),
      ...(findSubstitute({ type: 'Approve' }, order) ? ['ends its saga'] : []),
      ...(isReviewable(order) ? ['may come under review'] : []),
    ];
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });

  test('an order is shown with each status of the contract', () => {
    const shown = Object.values(ORDERS).flatMap((order) => toView(order, 1)?.status ?? []);
    expect(new Set(shown)).toEqual(new Set(statusesOf(OrderView.shape.status)));
  });
});

/** Returns the values of a schema that may be described. */
const statusesOf = (schema: unknown): readonly string[] =>
  Object.values((schema as { readonly def: { readonly entries: Readonly<Record<string, string>> } }).def.entries);

test('a user is doubtful unless active', () => {
  const doubtful: Readonly<Record<UserStatus, boolean>> = { ACTIVE: false, SUSPECT: true, BLOCKED: true };
  expect(Object.fromEntries(UserStatus.options.map((status) => [status, isDoubtful(status)]))).toEqual(doubtful);
});

describe('a reservation', () => {
  declareTableTests(
    'reservationDecider',
    `
                | NONE              | VOID             | RELEASED         | REJECTED             | RESERVED        | DISPATCHED
Reserve         | StockReserved     | REFUSED RELEASED | REFUSED RELEASED | REFUSED OUT_OF_STOCK | DONE            | DONE
Reserve, short  | StockRejected     | REFUSED RELEASED | REFUSED RELEASED | REFUSED OUT_OF_STOCK | DONE            | DONE
Reserve, others | StockReserved     | REFUSED RELEASED | REFUSED RELEASED | REFUSED OUT_OF_STOCK | !LINES_DIFFER   | !LINES_DIFFER
Release         | ReservationVoided | DONE             | DONE             | DONE                 | StockReleased   | DONE
Dispatch        | -                 | -                | -                | -                    | StockDispatched | -
`,
    {
      NONE: { status: 'NONE' },
      VOID: { status: 'VOID' },
      RELEASED: { status: 'RELEASED' },
      REJECTED: { status: 'REJECTED', skus: ['A'] },
      RESERVED: { status: 'RESERVED', lines: [line] },
      DISPATCHED: { status: 'DISPATCHED', lines: [line] },
    },
    {
      Reserve: { type: 'Reserve', ...ids, lines: [line], short: [] },
      'Reserve, short': { type: 'Reserve', ...ids, lines: [line], short: ['A'] },
      'Reserve, others': { type: 'Reserve', ...ids, lines: [{ ...line, sku: 'B' }], short: [] },
      Release: { type: 'Release', ...ids },
      Dispatch: { type: 'Dispatch', orderId: 'o' },
    },
    (state, command) => reservationDecider.decide(state, command as never, { now }),
  );
});

const books = {
  creditLimit: eur(100),
  authorized: 0,
  captured: 0,
  refunded: 0,
  settled: 0,
  underWay: 0,
  hour: { of: '', orders: 0 },
};
const ACCOUNTS = {
  NONE: { status: 'NONE' },
  OPEN: { status: 'OPEN', ...books },
  CLOSED: { status: 'CLOSED', ...books, closedAt: now },
} as const satisfies Readonly<Record<Account['status'], Account>>;
const step = { customerId: 'c', ...ids };
const authorize = { type: 'AuthorizeAccount', data: { ...step, amount: eur(5) } } as const;
const facts = { now, defaultCreditLimit: eur(100), limits: { ordersUnderWay: 10, ordersPerHour: 10 } };

describe('an account', () => {
  const opening = { customerId: 'c', defaultCreditLimit: eur(100) };
  declareTableTests(
    'accountDecider',
    `
                  | NONE                          | OPEN           | CLOSED
SetCreditLimit    | AccountOpened                 | CreditLimitSet | !CLOSED
SetStatus: OPEN   | AccountOpened                 | -              | AccountReopened
SetStatus: CLOSED | AccountOpened + AccountClosed | AccountClosed  | -
ApplyBonus        | AccountOpened + BonusApplied  | BonusApplied   | !CLOSED
`,
    ACCOUNTS,
    {
      SetCreditLimit: { type: 'SetCreditLimit', customerId: 'c', creditLimit: eur(7) },
      'SetStatus: OPEN': { type: 'SetStatus', ...opening, status: 'OPEN' },
      'SetStatus: CLOSED': { type: 'SetStatus', ...opening, status: 'CLOSED' },
      ApplyBonus: { type: 'ApplyBonus', ...opening, points: 1, reason: { sealed: 'x' } },
    },
    (account, command) => accountDecider.decide(account, command as never, { now }),
  );
});

describe('an account, asked for an order', () => {
  declareTableTests(
    'accountDecider',
    `
                 | NONE                              | OPEN              | CLOSED
AuthorizeAccount | AccountOpened + AccountAuthorized | AccountAuthorized | AuthorizationDeclined
`,
    ACCOUNTS,
    { AuthorizeAccount: authorize },
    (account, command) => authorizationDecider.decide({ account, authorization: { status: 'NONE' } }, command, facts),
  );
});

describe('an authorization', () => {
  const AUTHORIZATIONS = {
    NONE: { status: 'NONE' },
    VOID: { status: 'VOID' },
    DECLINED: { status: 'DECLINED', amount: eur(5), reason: 'OVER_LIMIT' },
    RELEASED: { status: 'RELEASED', amount: eur(5) },
    AUTHORIZED: { status: 'AUTHORIZED', amount: eur(5), settled: 0 },
    CAPTURED: { status: 'CAPTURED', amount: eur(5), settled: 0, refunds: {} },
  } as const satisfies Readonly<Record<Authorization['status'], Authorization>>;
  const order = { customerId: 'c', orderId: 'o' };
  declareTableTests(
    'authorizationDecider',
    `
                     | NONE                   | VOID                 | DECLINED               | RELEASED             | AUTHORIZED                              | CAPTURED
AuthorizeAccount     | AccountAuthorized      | REFUSED RELEASED     | REFUSED OVER_LIMIT     | REFUSED RELEASED     | DONE                                    | DONE
CaptureAuthorization | REFUSED NOT_AUTHORIZED | REFUSED RELEASED     | REFUSED NOT_AUTHORIZED | REFUSED RELEASED     | AuthorizationCaptured                   | DONE
ReleaseAuthorization | AuthorizationVoided    | DONE                 | DONE                   | DONE                 | AuthorizationReleased                   | REFUSED ALREADY_CAPTURED
RefundAccount        | REFUSED NOT_CAPTURED   | REFUSED NOT_CAPTURED | REFUSED NOT_CAPTURED   | REFUSED NOT_CAPTURED | REFUSED NOT_CAPTURED                    | AccountRefunded
ApproveOrder         | REFUSED NOT_AUTHORIZED | REFUSED RELEASED     | REFUSED NOT_AUTHORIZED | REFUSED RELEASED     | AuthorizationCaptured                   | DONE
SettleOrder          | -                      | -                    | -                      | -                    | CreditSettled                           | CreditSettled
ReturnOrder          | REFUSED NOT_CAPTURED   | REFUSED NOT_CAPTURED | REFUSED NOT_CAPTURED   | REFUSED NOT_CAPTURED | AuthorizationCaptured + AccountRefunded | AccountRefunded
`,
    AUTHORIZATIONS,
    {
      AuthorizeAccount: authorize,
      CaptureAuthorization: { type: 'CaptureAuthorization', data: step },
      ReleaseAuthorization: { type: 'ReleaseAuthorization', data: step },
      RefundAccount: { type: 'RefundAccount', data: { ...step, refundId: 'r', amount: eur(5) } },
      ApproveOrder: { type: 'ApproveOrder', data: step },
      SettleOrder: { type: 'SettleOrder', data: order },
      ReturnOrder: { type: 'ReturnOrder', data: { ...order, refundId: 'r', amount: eur(5) } },
    },
    (authorization, command) =>
      authorizationDecider.decide({ account: ACCOUNTS.OPEN, authorization }, command as never, facts),
  );

  test('uses credit while it is held or captured', () => {
    const used = { NONE: 0, VOID: 0, DECLINED: 0, RELEASED: 0, AUTHORIZED: 5, CAPTURED: 5 };
    expect(Object.fromEntries(Object.entries(AUTHORIZATIONS).map(([name, one]) => [name, computeUsed(one)]))).toEqual(
      used,
    );
  });
});

const paymentsWith = (more: object) => {
  const requested = { paymentId: 'p', customerId: 'c', accountId: 'c', amount: eur(5), requestedAt: now, ...more };
  return {
    NONE: { status: 'NONE' },
    VOID: { status: 'VOID' },
    REQUESTED: { status: 'REQUESTED', ...requested },
    PREPARED: { status: 'PREPARED', providerId: 'x', ...requested },
    CHARGED: { status: 'CHARGED', providerId: 'x', refunds: {}, ...requested },
    DECLINED: { status: 'DECLINED', reason: 'CARD_DECLINED', ...requested },
  } as const satisfies Readonly<Record<Payment['status'], Payment>>;
};
const PAYMENT_COMMANDS = {
  Request: { type: 'Request', paymentId: 'p', customerId: 'c', accountId: 'c', amount: eur(5) },
  Prepare: { type: 'Prepare', providerId: 'x' },
  Charge: { type: 'Charge' },
  Decline: { type: 'Decline', reason: 'CARD_DECLINED' },
  AllowReturns: { type: 'AllowReturns' },
  RequestRefund: { type: 'RequestRefund', refundId: 'r' },
  'RequestRefund by operator': { type: 'RequestRefund', refundId: 'r', byOperator: true },
  Refund: { type: 'Refund', refundId: 'r' },
  RefundAgain: { type: 'RefundAgain', refundId: 'r' },
};
const decidedPayment = (payment: Payment, command: unknown) => decidePayment(payment, command as never, { now });

describe('a payment of no order', () => {
  declareTableTests(
    'paymentDecider',
    `
                          | NONE             | VOID               | REQUESTED          | PREPARED           | CHARGED            | DECLINED
Request                   | PaymentRequested | !ALREADY_REQUESTED | !ALREADY_REQUESTED | !ALREADY_REQUESTED | !ALREADY_REQUESTED | !ALREADY_REQUESTED
Prepare                   | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | PaymentPrepared    | -                  | -                  | -
Charge                    | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !ENDED_OTHERWISE   | PaymentCharged     | -                  | !ENDED_OTHERWISE
Decline                   | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | PaymentDeclined    | PaymentDeclined    | !ENDED_OTHERWISE   | -
AllowReturns              | -                | -                  | -                  | -                  | ReturnsAllowed     | -
RequestRefund             | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !NOT_CHARGED       | !NOT_CHARGED       | RefundRequested    | !NOT_CHARGED
RequestRefund by operator | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !NOT_CHARGED       | !NOT_CHARGED       | RefundRequested    | !NOT_CHARGED
Refund                    | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !NOT_CHARGED       | !NOT_CHARGED       | !UNKNOWN_REFUND    | !NOT_CHARGED
RefundAgain               | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !NOT_CHARGED       | !NOT_CHARGED       | !UNKNOWN_REFUND    | !NOT_CHARGED
`,
    paymentsWith({}),
    PAYMENT_COMMANDS,
    decidedPayment,
  );

  test('a payment is shown by what its customer can know', () => {
    const shown = Object.entries(paymentsWith({})).map(([name, one]) => [name, paymentView(one, 1)?.status]);
    const expected = { REQUESTED: 'PENDING', PREPARED: 'PENDING', CHARGED: 'CHARGED', DECLINED: 'DECLINED' };
    expect(Object.fromEntries(shown)).toEqual({ NONE: undefined, VOID: undefined, ...expected });
  });
});

describe('a payment of an order', () => {
  declareTableTests(
    'paymentDecider',
    `
                          | NONE             | VOID               | REQUESTED                               | PREPARED                                | CHARGED            | DECLINED
Request                   | PaymentRequested | !ALREADY_REQUESTED | !ALREADY_REQUESTED                      | !ALREADY_REQUESTED                      | !ALREADY_REQUESTED | !ALREADY_REQUESTED
Prepare                   | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | PaymentPrepared                         | -                                       | -                  | -
Charge                    | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !ENDED_OTHERWISE                        | PaymentCharged + DONE                   | -                  | !ENDED_OTHERWISE
Decline                   | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | PaymentDeclined + REFUSED CARD_DECLINED | PaymentDeclined + REFUSED CARD_DECLINED | !ENDED_OTHERWISE   | -
AllowReturns              | -                | -                  | -                                       | -                                       | ReturnsAllowed     | -
RequestRefund             | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !PAYS_AN_ORDER                          | !PAYS_AN_ORDER                          | !PAYS_AN_ORDER     | !PAYS_AN_ORDER
RequestRefund by operator | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !NOT_DISPATCHED                         | !NOT_DISPATCHED                         | !NOT_DISPATCHED    | !NOT_DISPATCHED
Refund                    | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !NOT_CHARGED                            | !NOT_CHARGED                            | !UNKNOWN_REFUND    | !NOT_CHARGED
RefundAgain               | !UNKNOWN_PAYMENT | !UNKNOWN_PAYMENT   | !NOT_CHARGED                            | !NOT_CHARGED                            | !UNKNOWN_REFUND    | !NOT_CHARGED
`,
    paymentsWith({ stepId: 'p/charge' }),
    PAYMENT_COMMANDS,
    decidedPayment,
  );
});
