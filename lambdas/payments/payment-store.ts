import type { Loaded } from '@orderly/kit/event-store';
import type { Caller } from '@orderly/kit/http';
import { Problem } from '@orderly/kit/http';
import type { Role } from '../app.js';
import type { PaymentView } from './contract.js';
import { type Payment, toView } from './domain/payment.js';

const refuseUnknownPayment = (): never => {
  throw new Problem('not-found', 'no payment has this id');
};

/** Checks that an id has the form of this service's ids; any other text isn't looked up. @throws {Problem} 404 */
export const parsePaymentId = (parameter: string): string =>
  /^[0-9a-f]{32}$/.test(parameter) ? parameter : refuseUnknownPayment();

/**
 * Returns the payment as its owner or an operator may see it, without its sealed data.
 * @throws {Problem} 404 if it doesn't exist or belongs to someone else; both answers look the same
 */
export function requireVisible({ id, role }: Caller<Role>, loaded: Loaded<Payment>): PaymentView {
  const view = toView(loaded.state, loaded.version);
  return view && (role === 'operator' || view.customerId === id) ? view : refuseUnknownPayment();
}
