import { clock, countImmediately, logger } from '@orderly/kit/aws';
import type { Loaded } from '@orderly/kit/event-store';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import type { PaymentStore } from './aggregates.js';
import { callProviderOnce, PaymentUnclear } from './call-provider-once.js';
import type { PaymentEvent } from './contract.js';
import { isDeclinedCharge } from './domain/payer.js';
import {
  decide,
  findPendingRefund,
  isRequested,
  type Payment,
  type PaymentCommand,
  PaymentRefused,
} from './domain/payment.js';
import { isAwaitedBySaga } from './domain/steps.js';
import { PaymentsMetric } from './metrics.js';
import type { Payers } from './payers.js';
import {
  AccountAmbiguous,
  type Charge,
  type PaymentProvider,
  ProviderRefused,
  type Refund,
} from './provider/payment-provider.js';
import { providerTasks } from './subscriptions.js';

/** Payments, and the provider that moves their money. */
export interface ProviderContext {
  readonly paymentStore: PaymentStore;
  /** Learn from the provider's answers, in the transaction of each. */
  readonly payers: Payers;
  readonly provider: PaymentProvider;
}

type TaskMessage<Type extends PaymentEvent['type']> = Message<Extract<PaymentEvent, { type: Type }>>;

/**
 * Consumes the payments' provider tasks. Each message leads to one call and one commit:
 *
 *     PaymentRequested -> object created -> PaymentPrepared -> object charged -> PaymentCharged | PaymentDeclined
 *     VoidRequested    -> object cancelled, unless it was charged -> PaymentDeclined | PaymentCharged, RefundRequested
 *     RefundRequested  -> refunded       -> PaymentRefunded | RefundFailed
 *
 * A `RefundFailed` becomes a failure record, unless a saga waits for the refund. Its redrive requests the refund again.
 *
 * The effect at the provider and its commit can't be one transaction. A crash between them repeats the call, under the
 * rules of `onceAtProvider`.
 */
export const onProviderTask = (stores: ProviderContext): Source =>
  on(providerTasks, {
    PaymentRequested: (message) => ({ decide: () => prepare(stores, message) }),
    PaymentPrepared: (message) => ({ decide: () => charge(stores, message) }),
    VoidRequested: (message) => ({ decide: () => cancel(stores, message) }),
    RefundRequested: (message) => ({ decide: () => refund(stores, message) }),
    RefundFailed: (message) => ({ decide: () => reportOrRetry(stores, message) }),
  });

/** Tells whether a retry of a provider task does not help. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof PaymentRefused ||
  error instanceof PaymentUnclear ||
  error instanceof AccountAmbiguous ||
  error instanceof RefundRefused;

/**
 * The provider refused a refund for good, and no saga waits for it. The customer's money is kept until an operator acts,
 * so it becomes a failure record.
 */
export class RefundRefused extends Error {
  override readonly name = 'RefundRefused';
  readonly code = 'REFUSED_BY_PROVIDER';
}

async function prepare(
  stores: ProviderContext,
  { event, envelope, trace }: TaskMessage<'PaymentRequested'>,
): Promise<Effect> {
  const { paymentStore, provider } = stores;
  const { paymentId, accountId, amount } = event.data;
  const payment = await paymentStore.load(paymentId);
  if (payment.state.status !== 'REQUESTED') return [paymentStore.toWrite(payment, [], trace)];
  const created = await callProviderOnce<ProviderAnswer>({
    key: `${paymentId}:create`,
    since: envelope.time,
    act: (key) =>
      provider.create({ key, paymentId, accountId, amount }).then(
        ({ providerId, method }) => ({ command: { type: 'Prepare', providerId }, ...(method && { method }) }),
        (error) => {
          if (!(error instanceof ProviderRefused)) throw error;
          warnRefused(error, paymentId, key);
          const reason = error.code === 'NO_PAYMENT_METHOD' ? error.code : 'REFUSED_BY_PROVIDER';
          return { command: { type: 'Decline', reason } };
        },
      ),
    // A second object does no harm, and if the first one's id was lost, nothing can find it.
    ask: async () => undefined,
  });
  return buildOutcomeEffect(stores, payment, created, trace);
}

async function charge(
  stores: ProviderContext,
  { event, envelope, trace }: TaskMessage<'PaymentPrepared'>,
): Promise<Effect> {
  const { paymentStore, provider } = stores;
  const { paymentId, providerId } = event.data;
  const payment = await paymentStore.load(paymentId);
  // After a void was requested, this delivery can't know what another one may have started: `cancel` finds out.
  if (payment.state.status !== 'PREPARED' || payment.state.voidFor !== undefined)
    return [paymentStore.toWrite(payment, [], trace)];
  const ask = () => provider.findCharge(providerId);
  const charged = await callProviderOnce<Charge>({
    key: `${paymentId}:charge`,
    since: envelope.time,
    act: (key) =>
      provider.confirm({ key, providerId }).catch(async (error) => {
        if (!(error instanceof ProviderRefused)) throw error;
        // The provider also refuses what it did before under another key.
        const done = await ask();
        if (done) return done;
        warnRefused(error, paymentId, key);
        return { status: 'DECLINED', reason: 'REFUSED_BY_PROVIDER' };
      }),
    ask,
  });
  return buildOutcomeEffect(stores, payment, { command: toCommand(charged) }, trace);
}

/**
 * Cancels an object that may be charged at any moment; the provider decides whether it was. See the timelines in
 * `domain/steps.ts`.
 */
async function cancel(
  stores: ProviderContext,
  { event, envelope, trace }: TaskMessage<'VoidRequested'>,
): Promise<Effect> {
  const { paymentStore, provider } = stores;
  const { paymentId } = event.data;
  const payment = await paymentStore.load(paymentId);
  if (payment.state.status !== 'PREPARED') return [paymentStore.toWrite(payment, [], trace)];
  const { providerId } = payment.state;
  const ask = () => provider.findCharge(providerId);
  const ended = await callProviderOnce<Charge>({
    key: `${paymentId}:cancel`,
    since: envelope.time,
    act: (key) =>
      provider.cancel({ key, providerId }).catch(async (error) => {
        // It was charged, declined or cancelled before.
        const done = error instanceof ProviderRefused ? await ask() : undefined;
        if (done) return done;
        throw error;
      }),
    ask,
  });
  return buildOutcomeEffect(stores, payment, { command: toCommand(ended) }, trace);
}

const toCommand = (charge: Charge): PaymentCommand =>
  charge.status === 'CHARGED'
    ? { type: 'Charge', ...(charge.fee && { fee: charge.fee }) }
    : { type: 'Decline', reason: charge.reason };

async function refund(
  stores: ProviderContext,
  { event, envelope, trace }: TaskMessage<'RefundRequested'>,
): Promise<Effect> {
  const { paymentStore, provider } = stores;
  const { paymentId, refundId } = event.data;
  const payment = await paymentStore.load(paymentId);
  const pending = findPendingRefund(payment.state, refundId);
  if (!pending) return [paymentStore.toWrite(payment, [], trace)];
  const { providerId, amount } = pending;
  const ask = () => provider.findRefund(providerId, refundId);
  const { status } = await callProviderOnce<Refund>({
    key: `${paymentId}:refund:${refundId}`,
    since: envelope.time,
    act: (key) =>
      provider.refund({ key, providerId, refundId, amount }).catch(async (error) => {
        if (!(error instanceof ProviderRefused)) throw error;
        const done = await ask();
        if (done) return done;
        warnRefused(error, paymentId, key);
        return { status: 'FAILED' };
      }),
    ask,
  });
  const command: PaymentCommand = { type: status === 'REFUNDED' ? 'Refund' : 'FailRefund', refundId };
  return buildOutcomeEffect(stores, payment, { command }, trace);
}

/**
 * Makes a refused refund visible to an operator, or requests it again if the operator says so. The record of the failure
 * ends in the transaction that requests the new refund, so one redrive leads to one refund.
 * @throws {RefundRefused} no saga waits for the refund
 */
async function reportOrRetry(
  { paymentStore }: ProviderContext,
  { event, trace, redriven }: TaskMessage<'RefundFailed'>,
): Promise<Effect> {
  const { paymentId, refundId } = event.data;
  const payment = await paymentStore.load(paymentId);
  // Its saga is stuck, and retries the compensation.
  if (isAwaitedBySaga(payment.state)) return [paymentStore.toWrite(payment, [], trace)];
  if (!redriven) throw new RefundRefused('the provider refused the refund, and no saga waits for it');
  const events = decide(payment.state, { type: 'RefundAgain', refundId }, { now: clock.now() });
  return [paymentStore.toWrite(payment, events, trace)];
}

/** Logs the provider's own reason for its refusal, which no event contains. */
const warnRefused = ({ code }: ProviderRefused, paymentId: string, key: string): void =>
  logger.warn('the provider refuses', { paymentId, key, code });

/** Consequence of the provider's answer for a payment, and for its payer. */
interface ProviderAnswer {
  readonly command: PaymentCommand;
  /** Payment method that will be charged. */
  readonly method?: string;
}

/** @throws {PaymentRefused} if the provider's answer contradicts an earlier one */
async function buildOutcomeEffect(
  { paymentStore, payers }: ProviderContext,
  payment: Loaded<Payment>,
  answer: ProviderAnswer,
  trace: Trace,
): Promise<Effect> {
  const { command } = answer;
  const events = decide(payment.state, command, { now: clock.now() });
  for (const { type, data } of events) {
    if (type !== 'RefundFailed') continue;
    // Counted before the commit, since no code runs after it: this may alarm twice, but never misses a failure.
    countImmediately(PaymentsMetric.REFUNDS_FAILED);
    logger.warn('a refund was refused for good', { paymentId: data.paymentId, refundId: data.refundId });
  }
  return [
    paymentStore.toWrite(payment, events, trace),
    ...(await buildPayerWrites(payers, payment, events, answer, trace)),
  ];
}

/**
 * Returns what a payment's new events change about its payer. The provider's own reason counts: a charge that was declined
 * before its payment was undone is `VOIDED` for its order, and declined for its payer.
 */
async function buildPayerWrites(
  payers: Payers,
  { state }: Loaded<Payment>,
  [event]: readonly PaymentEvent[],
  { command, method }: ProviderAnswer,
  trace: Trace,
): Promise<Effect> {
  if (!isRequested(state)) return [];
  if (event?.type === 'PaymentPrepared' && method !== undefined) {
    return payers.methodWrites(state.customerId, method, trace);
  }
  const isDeclined = command.type === 'Decline' && isDeclinedCharge(command.reason);
  return event?.type === 'PaymentDeclined' && isDeclined ? payers.declineWrites(state.customerId, trace) : [];
}
