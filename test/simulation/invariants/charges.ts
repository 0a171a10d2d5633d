import type { PaymentEvent, StepCommand } from '../../../lambdas/payments/contract.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Facts } from '../../support/simulation/facts.js';
import { isUnderWay, toldOf } from './payments.js';
import { type Check, violation } from './violation.js';

/**
 * The answers that sagas get about their orders' payments are true, despite duplicates, delays, concurrency and
 * reordering.
 */
export const charges: Check = (facts) => [
  ...nobodyElseIsCharged(facts),
  ...[...stepsIn(facts)].flatMap(([, step]) => [...answered(facts, step), ...answersAreTrue(facts, step)]),
];

interface Step {
  readonly command: StepCommand;
  /** Number of messages that had an effect, or were recorded without one. */
  readonly processed: number;
}

/** Returns the steps that were sent; repeats of a step count once. */
function stepsIn(facts: Facts): ReadonlyMap<string, Step> {
  const steps = new Map<string, Step>();
  for (const [id, { detail }] of facts.published) {
    const { to, type, data } = detail as { to?: string } & StepCommand;
    if (to !== 'payments') continue;
    const isProcessed = facts.delivery(facts.listener('payments-commands'), { id }) === 'processed';
    const { processed = 0 } = steps.get(data.stepId) ?? {};
    steps.set(data.stepId, { command: { type, data } as StepCommand, processed: processed + (isProcessed ? 1 : 0) });
  }
  return steps;
}

const isAnswerTo =
  ({ data }: StepCommand) =>
  (event: PaymentEvent): event is Extract<PaymentEvent, { type: 'SagaReplyRequested' }> =>
    event.type === 'SagaReplyRequested' && event.data.stepId === data.stepId;

/** A step is answered at least once, unless its payment is still in progress, and at most once per message. */
function answered(facts: Facts, { command, processed }: Step): readonly Violation[] {
  const { orderId, stepId } = command.data;
  const { events, payment } = toldOf(facts, orderId);
  const answers = events.filter(isAnswerTo(command)).length;
  const least = processed === 0 || isUnderWay(payment) ? 0 : 1;
  const told = `${stepId}: ${answers} answers to ${processed} messages`;
  return answers >= least && answers <= processed
    ? []
    : [violation('a processed payment step is answered', told, orderId)];
}

/** "Charged" means that the charge was made. "Compensated" means that no money is kept from then on. */
function answersAreTrue(facts: Facts, { command }: Step): readonly Violation[] {
  const { orderId } = command.data;
  const { events, tally } = toldOf(facts, orderId);
  const types = events.map(({ type }) => type);
  const { charges, chargeSum, refundSum } = tally;
  const told = `${types.join(', ')}; charged ${chargeSum}, given back ${refundSum}`;
  const done = events.findIndex((event) => isAnswerTo(command)(event) && event.data.outcome === 'DONE');
  if (done < 0) return [];
  if (command.type === 'ChargePayment') {
    const isCharged = charges === 1 && types.slice(0, done).includes('PaymentCharged');
    return isCharged ? [] : [violation('a charge that was answered as done was made', told, orderId)];
  }
  const isOver = types.slice(done).every((type) => type === 'SagaReplyRequested');
  return isOver && chargeSum === refundSum
    ? []
    : [violation('a compensation that was answered as done has refunded everything', told, orderId)];
}

/** Every effect at the provider belongs to a requested payment. */
const nobodyElseIsCharged: Check = (facts) =>
  [...facts.sandbox.keys()]
    .filter((key) => key.startsWith('TALLY#'))
    .map((key) => key.slice('TALLY#'.length))
    .filter((id) => !toldOf(facts, id).events.some(({ type }) => type === 'PaymentRequested'))
    .map((id) => violation('every charge was requested', id, id));
