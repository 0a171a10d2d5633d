import { Env } from '../../packages/kit/aws/environment.js';
import { feedShards, required } from '../../packages/kit/aws/read-environment.js';
import { DynamoDbEventStore } from '../../packages/kit/event-store/dynamodb-event-store.js';
import type { Loaded } from '../../packages/kit/event-store/event-store.js';
import type { Caller } from '../../packages/kit/http/auth.js';
import { Problem } from '../../packages/kit/http/errors.js';
import type { Role } from '../app.js';
import { type PaymentEvent, type PaymentView, paymentsContract } from './contract.js';
import { evolve, initialState, type Payment, viewOf } from './domain/payment.js';
import { PAYMENT } from './keys.js';

/** Event store of payments, in the service's own table. */
export const paymentStore = new DynamoDbEventStore<Payment, PaymentEvent>(
  { table: required(Env.TABLE), aggregate: PAYMENT, contract: paymentsContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 2 },
);

const noSuchPayment = (): never => {
  throw new Problem('not-found', 'no payment has this id');
};

/** Checks that an id has the form of this service's ids; any other text isn't looked up. @throws {Problem} 404 */
export const paymentIdOf = (parameter: string): string =>
  /^[0-9a-f]{32}$/.test(parameter) ? parameter : noSuchPayment();

/**
 * Returns the payment as its owner or an operator may see it, without its sealed data.
 * @throws {Problem} 404 if it doesn't exist or belongs to someone else; both answers look the same
 */
export function visibleTo({ id, role }: Caller<Role>, loaded: Loaded<Payment>): PaymentView {
  const view = viewOf(loaded.state, loaded.version);
  return view && (role === 'operator' || view.customerId === id) ? view : noSuchPayment();
}
