import { Env } from '../../packages/kit/aws/environment.js';
import { feedShards, required } from '../../packages/kit/aws/read-environment.js';
import { DynamoDbEventStore } from '../../packages/kit/event-store/dynamodb-event-store.js';
import type { Loaded } from '../../packages/kit/event-store/event-store.js';
import type { Caller } from '../../packages/kit/http/auth.js';
import { Problem } from '../../packages/kit/http/errors.js';
import type { Effect } from '../../packages/kit/idempotent-consumer/process-once.js';
import type { Trace } from '../../packages/kit/messages/trace.js';
import type { Role } from '../app.js';
import { type PaymentEvent, type PaymentView, paymentsContract } from './contract.js';
import { evolve, initialState, type Payment, viewOf } from './domain/payment.js';

/** Type of the aggregate. */
export const PAYMENT = 'Payment';

/** Payments, in the service's own table. */
export const paymentStore = new DynamoDbEventStore<Payment, PaymentEvent>(
  { table: required(Env.TABLE), aggregate: PAYMENT, contract: paymentsContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 2 },
);

/** What a message does to a payment that was loaded for it: the commit of these events, or the check that none was due. */
export const effectOf = (payment: Loaded<Payment>, events: readonly PaymentEvent[], trace: Trace): Effect => [
  events.length > 0
    ? paymentStore.appendWrite(paymentStore.commit(payment, events, trace))
    : paymentStore.unchangedCheck(payment),
];

const noSuchPayment = (): never => {
  throw new Problem('not-found', 'there is no payment of this id');
};

/** Ids as this service makes them; another text isn't looked up. @throws {Problem} 404 */
export const paymentIdOf = (parameter: string): string =>
  /^[0-9a-f]{32}$/.test(parameter) ? parameter : noSuchPayment();

/**
 * The payment as its owner or an operator may see it, without what is sealed in it.
 * @throws {Problem} 404 where there is none, or it is someone else's: the two look the same
 */
export function visibleTo({ id, role }: Caller<Role>, loaded: Loaded<Payment>): PaymentView {
  const view = viewOf(loaded.state, loaded.version);
  return view && (role === 'operator' || view.customerId === id) ? view : noSuchPayment();
}
