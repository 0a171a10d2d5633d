import {
  type DuplicateEffect,
  describeDuplicate,
  describeSaga,
  formatDuration,
  isHeld,
  isWaiting,
  pluralize,
  type Saga,
  secondsBetween,
} from '@orderly/operator';
import type { OrderView } from '../orders/contract.js';
import { type AttemptSummary, summarizeAttempts } from './attempt-summary.js';
import { type Delivery, type EventReport, type OrderFacts, reportEvents } from './deliveries.js';
import { findDoneTwice } from './done-twice.js';
import { command } from './program.js';
import { inRunbook } from './runbook.js';
import {
  describeClosedRefunds,
  describeWaiting,
  findFailedTimeouts,
  findStandstill,
  keepsMoney,
} from './standstill.js';
import { failure, type Verdict } from './verdict.js';

export interface OrderReport {
  readonly orderId: string;
  readonly order: OrderView | undefined;
  readonly sagas: readonly Saga[];
  readonly shown: ReadonlyMap<string, number>;
  readonly events: readonly EventReport[];
  readonly doneTwice: readonly DuplicateEffect[];
  readonly verdict: Verdict;
  /** Number of attempts by the logs; absent if they were not asked. */
  readonly attempts?: AttemptSummary;
}

/** Judges where an order is, whether anything was lost, and whether anything was done twice. It is a pure function. */
export function judgeOrder(facts: OrderFacts): OrderReport {
  const events = facts.aggregates
    .flatMap((aggregate) => reportEvents(aggregate, facts))
    .toSorted((one, other) => one.at.localeCompare(other.at));
  const doneTwice = findDoneTwice(facts.aggregates);
  const { orderId, order, sagas, shown } = facts;
  const verdict = decideVerdict(facts, events, doneTwice);
  const attempts = summarizeAttempts(facts.found, events);
  return { orderId, order, sagas, shown, events, doneTwice, verdict, ...(attempts && { attempts }) };
}

function decideVerdict(
  facts: OrderFacts,
  events: readonly EventReport[],
  doneTwice: readonly DuplicateEffect[],
): Verdict {
  const { order, orderId, now, aggregates, sagas } = facts;
  const all = events.flatMap((event) => event.deliveries.map((one) => ({ event, one })));
  const of = (state: Delivery['state']) => all.filter(({ one }) => one.state === state);
  const [twice] = doneTwice;
  if (twice) return failure(describeDuplicate(twice));
  const waiting = sagas.filter(({ state }) => isWaiting(state));
  const failed = [
    ...of('failed').map(({ one, event }) => ({ ...one, type: event.type })),
    ...findFailedTimeouts(facts),
  ];
  const [first] = failed;
  if (first) {
    const where = failed.map(({ consumer, type, reason }) => `${consumer} at ${type} (${reason})`);
    const next = command('failures', 'show', first.consumer, first.messageId);
    return failure(formatList([...where, ...waiting.map(describeSaga)]), next);
  }
  if (of('lost').length > 0) {
    const lost = of('lost').map(({ one, event }) => `${event.type} on its way to ${one.consumer}`);
    return failure(`lost: ${formatList(lost)} (${inRunbook('Was anything lost')})`);
  }
  if (!order) {
    const others = aggregates.filter(({ commits }) => commits.length > 0).map(({ subject }) => subject);
    return failure(`there is no order ${orderId}, but ${others.join(', ')}`);
  }
  const isThrough = order.status === 'APPROVED' || order.status === 'DISPATCHED';
  const undoing = isThrough ? sagas.find(({ state }) => 'ending' in state) : undefined;
  if (undoing) {
    const text = `the order is ${order.status}, but its saga compensates its steps: ${describeSaga(undoing)}`;
    return failure(text, command('sagas', 'show', undoing.id));
  }
  const standing = findStandstill(facts);
  if (standing) return standing;
  const unpublished = events.filter(({ publication }) => publication?.state === 'waiting');
  const queued = of('pending').filter(({ event }) => !unpublished.includes(event));
  const pending = [
    ...unpublished.map(({ type, publication }) => `${type} is ${publication?.text}`),
    ...queued.map(
      ({ one, event }) => `${one.consumer} of ${event.type}, for ${formatDuration(secondsBetween(event.at, now))}`,
    ),
  ];
  const held = waiting.find(({ state }) => isHeld(state));
  if (held && order.status !== 'UNDER_REVIEW' && pending.length === 0) {
    return failure(`${describeSaga(held)}, but the order is ${order.status}`, command('sagas', 'show', held.id));
  }
  // The saga of a paid order has ended, so only its review is left.
  const isPaidUnderReview = order.status === 'UNDER_REVIEW' && sagas.some(({ state }) => state.status === 'COMPLETED');
  if (waiting.length > 0 || pending.length > 0 || isPaidUnderReview) {
    const text = formatList([
      ...describeReview(order),
      ...waiting.map((saga) => describeWaiting(saga, now)),
      ...pending,
    ]);
    return { state: 'pending', text: `pending: ${text}`, next: command('order', orderId) };
  }
  if (order.status === 'PENDING' || order.status === 'UNDER_REVIEW') {
    return failure(`the order is ${order.status}, and nothing is on its way that would end that`);
  }
  if (keepsMoney(events, facts)) return failure(`its refund was refused for good (${inRunbook('RefundFailed')})`);
  const undone = sagas.filter(({ state }) => state.status === 'COMPENSATED').map(describeSaga);
  return {
    state: 'complete',
    text: `complete: ${[...undone, ...describeClosedRefunds(events), summarize(events, of)].join('; ')}`,
  };
}

/** Describes the review that an operator has to decide, if there is one. */
const describeReview = ({ status, reviewReasons = [] }: OrderView): readonly string[] =>
  status === 'UNDER_REVIEW'
    ? [`its review (${reviewReasons.join(', ')}; ${inRunbook('An order is under review')})`]
    : [];

function summarize(events: readonly EventReport[], of: (state: Delivery['state']) => readonly unknown[]): string {
  const commands = events.filter(({ to }) => to !== undefined).length;
  const counted = [
    `${pluralize(events.length - commands, 'event')}${commands > 0 ? `, ${pluralize(commands, 'command')}` : ''}, ${pluralize(of('processed').length, 'delivery', 'deliveries')} processed, nothing twice`,
  ];
  const more = [
    ['collected', 'collected until their windows close'],
    ['expired', 'too old to be known'],
    ['discarded', 'discarded'],
    ['repeated', 'repeated after a failure'],
    ['unsent', 'not sent, as that was discarded'],
  ] as const;
  for (const [state, words] of more) if (of(state).length > 0) counted.push(`${of(state).length} ${words}`);
  return counted.join('; ');
}

const formatList = (parts: readonly string[]): string =>
  parts.length > 3 ? `${parts.slice(0, 3).join('; ')}; and ${parts.length - 3} more` : parts.join('; ');
