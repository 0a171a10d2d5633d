import type { Loaded } from '@orderly/kit/event-store';
import type { Caller } from '@orderly/kit/http';
import { Problem } from '@orderly/kit/http';
import type { Role } from '../app.js';
import type { OrderView } from './contract.js';
import { type Order, toView } from './domain/order.js';
import { ORDER_ID } from './keys.js';

const refuseUnknownOrder = (): never => {
  throw new Problem('not-found', 'no order has this id');
};

/** Checks that an id has the form of this service's ids; any other text isn't looked up. @throws {Problem} 404 */
export const parseOrderId = (parameter: string): string =>
  ORDER_ID.test(parameter) ? parameter : refuseUnknownOrder();

/**
 * Returns the order as its owner or an operator may see it, without personal data.
 * @throws {Problem} 404 if it doesn't exist or belongs to someone else; both answers look the same
 */
export function requireVisible({ id, role }: Caller<Role>, loaded: Loaded<Order> | undefined): OrderView {
  const view = loaded && toView(loaded.state, loaded.version);
  return view && (role === 'operator' || view.customerId === id) ? view : refuseUnknownOrder();
}
