import type { PaymentEvent } from '../../../lambdas/payments/contract.js';
import { evolve, initialState, isRequested, type Payment } from '../../../lambdas/payments/domain/payment.js';
import { isAwaitedBySaga } from '../../../lambdas/payments/domain/steps.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Commit, Facts } from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { type Check, violation } from './violation.js';

/** Invariants of every payment, here and at the provider, however often a request, an answer or a loss occurs. */
export const payments: Check = (facts) => [
  ...[...facts.payments.keys()].flatMap((id) => {
    const told = toldOf(facts, id);
    return [
      chargedOnce(told),
      refundedOnce(told),
      declinedForAReason(told),
      endsOrIsVisible(facts, told),
      refusedIsVisible(facts, told),
      notMadeAgain(told),
    ].flat();
  }),
  ...acknowledgedIsCommitted(facts),
  ...onePayment(facts),
];

/** Published events of a payment, and its effects at the provider. */
export interface Told {
  readonly id: string;
  readonly commits: readonly Commit[];
  readonly events: readonly PaymentEvent[];
  readonly payment: Payment;
  /** Actual effects at the sandbox. */
  readonly tally: Tally;
}

/** @param id of a payment, or of an order that has none yet */
export function toldOf(facts: Facts, id: string): Told {
  const commits = facts.payments.get(id) ?? [];
  const events = eventsOf(commits);
  return { id, commits, events, payment: events.reduce(evolve, initialState), tally: tallyOf(facts, id) };
}

interface Tally {
  readonly charges: number;
  readonly chargeSum: number;
  readonly refunds: number;
  readonly refundSum: number;
}

const eventsOf = (commits: readonly Commit[]): readonly PaymentEvent[] =>
  commits.flatMap(({ events }) => events.map(({ type, data }) => ({ type, data: JSON.parse(data) }) as PaymentEvent));

function tallyOf({ sandbox }: Facts, id: string): Tally {
  const { charges = 0, chargeSum = 0, refunds = 0, refundSum = 0 } = (sandbox.get(`TALLY#${id}`) ?? {}) as Row;
  return { charges, chargeSum, refunds, refundSum } as Tally;
}

/** G1: an acknowledged payment is committed. */
const acknowledgedIsCommitted: Check = ({ orderly, payments }) =>
  orderly.answered.flatMap(({ method, path, key, reply }) => {
    if (method !== 'POST' || !/^\/payments(\/[^/]+\/refund)?$/.test(path) || reply.status !== 201) return [];
    const id = String(reply.body.paymentId);
    const wanted = path === '/payments' ? 'PaymentRequested' : 'RefundRequested';
    const isThere = eventsOf(payments.get(id) ?? []).some(({ type }) => type === wanted);
    return isThere ? [] : [violation('an acknowledged payment is committed', `${wanted} of ${key}`, id)];
  });

/** G2: no key has two payments, and every payment has a request; sagas request the payments of orders. */
const onePayment: Check = ({ orderly, payments }) => {
  const requested = [...payments.values()].filter((commits) =>
    eventsOf(commits).some(({ type, data }) => type === 'PaymentRequested' && data.stepId === undefined),
  ).length;
  const sent = [...orderly.answered, ...orderly.unanswered].filter(({ path }) => path === '/payments');
  const keys = new Set(sent.map(({ as, key, numbered }) => `${as} ${key} ${numbered?.session} ${numbered?.number}`));
  return requested > keys.size
    ? [violation('an idempotency key creates one payment', `${requested} payments of ${keys.size} keys`)]
    : [];
};

function chargedOnce({ id, payment, tally, events }: Told): readonly Violation[] {
  if (!isRequested(payment))
    return tally.charges > 0
      ? [violation("a payment's status matches the provider's charges", payment.status, id)]
      : [];
  const { charges, chargeSum } = tally;
  const told = `${payment.status}, ${charges} charges, ${chargeSum} of ${payment.amount.amount}`;
  const times = (...types: readonly string[]) => events.filter(({ type }) => types.includes(type)).length;
  const right =
    charges <= 1 &&
    chargeSum === charges * payment.amount.amount &&
    times('PaymentRequested') === 1 &&
    times('PaymentCharged', 'PaymentDeclined') <= 1;
  if (!right) return [violation('a payment is charged at most once', told, id)];
  const agree = { CHARGED: charges === 1, DECLINED: charges === 0, REQUESTED: charges === 0, PREPARED: true };
  return agree[payment.status] ? [] : [violation("a payment's status matches the provider's charges", told, id)];
}

/**
 * Money is conserved: the refunds at the provider equal ours, each refund is made once, and their sum is at most the
 * charge.
 */
function refundedOnce({ id, payment, tally, events }: Told): readonly Violation[] {
  if (!isRequested(payment)) return [];
  const done = events.flatMap((event) => (event.type === 'PaymentRefunded' ? [event.data] : []));
  const pending = payment.status === 'CHARGED' ? Object.values(payment.refunds).filter(isPending) : [];
  const sum = done.reduce((all, { amount }) => all + amount.amount, 0);
  const most = pending.reduce((all, { amount }) => all + amount.amount, sum);
  const told = `${tally.refunds} refunds of ${tally.refundSum}; ${done.length} of ${sum} are published, ${pending.length} pending`;
  const right =
    new Set(done.map(({ refundId }) => refundId)).size === done.length &&
    tally.refunds >= done.length &&
    tally.refunds <= done.length + pending.length &&
    tally.refundSum >= sum &&
    tally.refundSum <= most &&
    tally.refundSum <= tally.chargeSum;
  return right ? [] : [violation('a refund is made once, and refunds never exceed the charge', told, id)];
}

/** No answer is no refusal: of the amounts and accounts of all scenarios, the provider refuses none without a card's reason. */
const declinedForAReason = ({ id, events }: Told): readonly Violation[] =>
  events.some(({ type, data }) => type === 'PaymentDeclined' && data.reason === 'REFUSED_BY_PROVIDER')
    ? [violation('a payment is declined for a reason of its card only', 'REFUSED_BY_PROVIDER', id)]
    : [];

/** An unfinished payment waits for a message that an operator can see. */
function endsOrIsVisible(facts: Facts, { id, commits, payment }: Told): readonly Violation[] {
  const listener = facts.listener('payments-provider');
  const visible = (type: string, part: string): boolean => {
    const event = commits.flatMap(({ events }) => events).find((one) => one.type === type && one.data.includes(part));
    return event !== undefined && !['processed', 'missing'].includes(facts.delivery(listener, event));
  };
  switch (payment.status) {
    case 'REQUESTED':
      return visible('PaymentRequested', id) ? [] : [violation('a payment ends or is visible', payment.status, id)];
    case 'PREPARED':
      return visible(payment.voidFor === undefined ? 'PaymentPrepared' : 'VoidRequested', id)
        ? []
        : [violation('a payment ends or is visible', payment.status, id)];
    case 'CHARGED':
      return Object.entries(payment.refunds).flatMap(([refundId, refund]) =>
        !isPending(refund) || visible('RefundRequested', refundId)
          ? []
          : [violation('a refund ends or is visible', `${refundId} of ${refund.amount.amount}`, id)],
      );
    default:
      return [];
  }
}

/**
 * A refund that the provider refused is a failure that an operator sees, or it was requested again. A saga that waits for it
 * is stuck instead, which is another invariant.
 */
function refusedIsVisible(facts: Facts, { id, commits, payment }: Told): readonly Violation[] {
  if (isAwaitedBySaga(payment)) return [];
  const listener = facts.listener('payments-provider');
  return commits
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === 'RefundFailed')
    .flatMap((event) => {
      const isRequestedAgain = commits.some(({ trigger }) => trigger === event.id);
      const isQuiet = facts.delivery(listener, event) === 'processed' && !isRequestedAgain;
      return isQuiet ? [violation('a refund that was refused for good is visible', event.id, id)] : [];
    });
}

/**
 * A refund that the provider refused is made again by an operator only if no later one was asked for and not refused: nothing
 * tells which of them the later one stands for, and the customer would get the amount twice.
 */
function notMadeAgain({ id, commits }: Told): readonly Violation[] {
  const refunds = new Map<string, 'open' | 'failed'>();
  const failedBy = new Map<string, string>();
  return commits.flatMap(({ trigger, events }) =>
    events.flatMap(({ id: eventId, type, data }) => {
      const { refundId = '' } = JSON.parse(data) as { readonly refundId?: string };
      if (type === 'RefundFailed') {
        refunds.set(refundId, 'failed');
        failedBy.set(eventId, refundId);
      }
      if (type !== 'RefundRequested') return [];
      const failed = failedBy.get(trigger);
      const ids = [...refunds.keys()];
      const since =
        failed === undefined ? [] : ids.slice(ids.indexOf(failed) + 1).filter((one) => refunds.get(one) === 'open');
      refunds.set(refundId, 'open');
      const told = `${refundId} for ${failed}, after ${since.join(', ')}`;
      return since.length === 0 ? [] : [violation('a refused refund is not made again after a later one', told, id)];
    }),
  );
}

/** Whether the provider still has to act. */
export const isUnderWay = (payment: Payment): boolean =>
  payment.status === 'REQUESTED' ||
  payment.status === 'PREPARED' ||
  (payment.status === 'CHARGED' && Object.values(payment.refunds).some(isPending));

const isPending = ({ status }: { readonly status: string }): boolean => status === 'PENDING';
