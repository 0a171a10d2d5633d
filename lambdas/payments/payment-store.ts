import { Env, feedShards, required } from '@orderly/kit/aws';
import type { Loaded } from '@orderly/kit/event-store';
import { DynamoDbEventStore } from '@orderly/kit/event-store';
import type { Caller } from '@orderly/kit/http';
import { Problem } from '@orderly/kit/http';
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
