import { expect } from 'vitest';
import type { DeliveryAddress, OrderLine, OrderView } from '../../lambdas/orders/contract.js';
import { world } from '../support/world.js';
import { eur } from './accounts.js';
import { priced } from './catalog.js';
import type { ApiAnswer, Caller, World } from './world.js';

/** Preconditions and waits of scenarios about orders. */

export const line = (sku: string, quantity = 1, amount = 350): OrderLine => ({
  sku,
  quantity,
  unitPrice: { amount, currency: 'EUR' },
});

/**
 * Credit limits that cover all orders of alice and bob in any scenario; other customers have the default limit. Setting
 * the same limit again changes nothing, so it is set once per file.
 */
const credits = new WeakMap<World, Promise<unknown>>();

/** Creates a product of the scenario's own with this price and stock. @returns its SKU */
export async function stocked(onHand: number, amount = 350): Promise<string> {
  const credit =
    credits.get(world) ??
    Promise.all(
      ['alice', 'bob'].map((customerId) =>
        world.client('operator').setCreditLimit({ customerId, body: { creditLimit: eur(1e12) } }),
      ),
    );
  credits.set(world, credit);
  const sku = await priced(amount);
  await Promise.all([world.client('operator').setStock({ sku, body: { onHand } }), credit]);
  return sku;
}

interface Placing {
  readonly as?: Caller;
  /** @default a new one */
  readonly key?: string;
  readonly clientReference?: string;
  readonly deliverTo?: DeliveryAddress;
}

export const post = (lines: readonly OrderLine[], { as = 'alice', key = world.fresh('key'), ...more }: Placing = {}) =>
  world.call<OrderView>({ method: 'POST', path: '/orders', as, key, body: { lines, ...more } });

/** Places an order and returns it once it was accepted. */
export function placed(
  lines: readonly OrderLine[],
  { as = 'alice', key = world.fresh('key'), ...more }: Placing = {},
): Promise<OrderView> {
  return world.client(as).placeOrder({ body: { lines, ...more }, key });
}

export const get = (orderId: string, as: Caller = 'operator'): Promise<ApiAnswer<OrderView>> =>
  world.call({ method: 'GET', path: `/orders/${orderId}`, as });

/** Waits until an order has a status, and returns the order. */
export const becomes = (orderId: string, status: OrderView['status']): Promise<OrderView> =>
  world.eventually(`order ${orderId} is ${status}`, async () => {
    const order = await world.client('operator').getOrder({ orderId });
    expect(order.status).toBe(status);
    return order;
  });

export const cancel = (
  orderId: string,
  { as = 'alice' as Caller, key = world.fresh('key'), body = {} as object } = {},
) => world.call<OrderView>({ method: 'POST', path: `/orders/${orderId}/cancellation`, as, key, body });

/** Places an order and waits until its saga has approved it. */
export async function approved(lines: readonly OrderLine[], placing: Placing = {}): Promise<OrderView> {
  const { orderId } = await placed(lines, placing);
  return becomes(orderId, 'APPROVED');
}
