import {
  type ConsumerRecord,
  describeReason,
  describeSaga,
  isHeld,
  isLate,
  isWaiting,
  listListeners,
  recordKey,
  relayConsumer,
  type Saga,
  timerIdOf,
} from '@orderly/operator';
import type { EventReport, OrderFacts } from './deliveries.js';
import { command } from './program.js';
import { inRunbook } from './runbook.js';
import { failure, type Verdict } from './verdict.js';

/** Finds a saga of the order that no pending message will advance: it is stuck, or it has no timeout. */
export function findStandstill(facts: OrderFacts): Verdict | undefined {
  const waiting = facts.sagas.filter(({ state }) => isWaiting(state));
  const stuck = waiting.find(({ state }) => state.status === 'STUCK');
  if (stuck) return failure(describeSaga(stuck), command('sagas', 'show', stuck.id));
  // A held saga has none: it waits for its order's review.
  const withoutTimeout = waiting.find(
    (saga) => !isHeld(saga.state) && findTimeoutRecord(saga, facts)?.status !== 'PENDING',
  );
  if (!withoutTimeout) return undefined;
  return failure(
    `${describeSaga(withoutTimeout)}, but no timeout is scheduled`,
    command('sagas', 'retry', withoutTimeout.id),
  );
}

/** Timeouts of the order's sagas that could not be handled; each is a failure of the saga's consumer. */
export const findFailedTimeouts = (facts: OrderFacts) =>
  facts.sagas.flatMap((saga) => {
    const record = isWaiting(saga.state) && !isHeld(saga.state) ? findTimeoutRecord(saga, facts) : undefined;
    if (record?.status !== 'FAILED') return [];
    const messageId = timerIdOf(saga.id, saga.state.timers);
    return [{ consumer: saga.kind.consumer.name, messageId, type: 'RingTimer', reason: describeReason(record) }];
  });

/** Returns the record of the newest timeout. */
function findTimeoutRecord({ kind, id, state }: Saga, { services, recordAt }: OrderFacts): ConsumerRecord | undefined {
  const listener = listListeners(services).find(({ consumer }) => consumer?.saga === kind.type);
  return listener && recordAt(listener, recordKey(listener, timerIdOf(id, state.timers)));
}

/** @param now ISO 8601, UTC */
export const describeWaiting = (saga: Saga, now: string): string =>
  `${describeSaga(saga)}${!isHeld(saga.state) && isLate(saga.state, now) ? `, its timeout is late (${inRunbook('TimersLate')})` : ''}`;

/**
 * Whether the money of an order is kept after a failed refund, and nobody has closed that. A saga that compensates waits for
 * its refund. Otherwise the failed refund is a failure of its own, which an operator redrives or discards; a deployment of an
 * earlier release has no such failure.
 */
export function keepsMoney(events: readonly EventReport[], { sagas }: OrderFacts): boolean {
  const last = findRefunds(events).at(-1);
  return (
    last?.type === 'RefundFailed' &&
    findClosings(last).length === 0 &&
    sagas.every(({ state }) => state.status === 'COMPLETED')
  );
}

/** Describes the failed refunds of an order that an operator has closed: who did so, and why. */
export const describeClosedRefunds = (events: readonly EventReport[]): readonly string[] =>
  findRefunds(events)
    .filter(({ type }) => type === 'RefundFailed')
    .flatMap(findClosings)
    .map((reason) => `its failed refund was closed ${reason}`);

/** Returns the ends of an order's refunds. */
const findRefunds = (events: readonly EventReport[]): readonly EventReport[] =>
  events.filter(
    ({ subject, type }) => subject.startsWith('Payment/') && (type === 'RefundFailed' || type === 'PaymentRefunded'),
  );

/** Returns the notes of those who discarded the failure. Who discards its publication knows nothing about the money. */
const findClosings = ({ deliveries }: EventReport): readonly string[] =>
  deliveries.flatMap(({ consumer, state, reason = '' }) =>
    state === 'discarded' && consumer !== relayConsumer.name ? [reason] : [],
  );
