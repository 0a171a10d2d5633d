import type { Loaded } from '@orderly/kit/event-store';
import type { Caller } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import { openFields, type PersonalKeys } from '@orderly/kit/personal-data';
import type { Role } from '../app.js';
import { type OrderView, ordersContract } from './contract.js';
import { type Order, selectSealedFields } from './domain/order.js';
import { ORDER } from './keys.js';
import type { ListedOrder } from './order-list.js';
import { requireVisible } from './order-store.js';
import { viewForRole } from './reader.js';

/**
 * Returns one customer's orders as a caller may see them. Opens their sealed fields, or marks them as forgotten. It
 * requests the key once.
 */
export async function openOrders(
  personalKeys: PersonalKeys,
  caller: Caller<Role>,
  customerId: string,
  orders: readonly ListedOrder[],
): Promise<readonly OrderView[]> {
  const values = orders.map(({ view, sealed }) => ({
    aggregate: aggregateKey(ORDER, view.orderId),
    sealed: { ...sealed },
  }));
  const data = await openFields(personalKeys, ordersContract, customerId, values);
  return orders.map(({ view }, at) => ({ ...viewForRole(caller, view), ...data[at] }));
}

/**
 * Returns the order with its personal data, as its owner or an operator may see it.
 * @throws {Problem} 404, as {@link requireVisible}
 */
export async function viewForCaller(
  personalKeys: PersonalKeys,
  caller: Caller<Role>,
  loaded: Loaded<Order> | undefined,
): Promise<OrderView> {
  const view = requireVisible(caller, loaded);
  const [order = view] = await openOrders(personalKeys, caller, view.customerId, [
    { view, sealed: loaded ? selectSealedFields(loaded.state) : {} },
  ]);
  return order;
}
