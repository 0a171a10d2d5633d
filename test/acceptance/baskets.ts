import { expect } from 'vitest';
import type { BasketView } from '../../lambdas/baskets/contract.js';
import { world } from '../support/world.js';
import type { Caller } from './world.js';

/** Preconditions and waits of scenarios about baskets. */

export const basketOf = (as: Caller) => world.call<BasketView>({ method: 'GET', path: '/basket', as });

export const putItem = (sku: string, quantity: unknown, as: Caller) =>
  world.call<BasketView>({ method: 'PUT', path: `/basket/items/${sku}`, as, body: { quantity } });

export const removeItem = (sku: string, as: Caller) =>
  world.call<BasketView>({ method: 'DELETE', path: `/basket/items/${sku}`, as });

export const seen = (as: Caller, headers: Record<string, string> = {}) =>
  world.call<BasketView>({ method: 'PUT', path: '/basket/seen', as, headers });

export const checkOut = (as: Caller, key = world.fresh('key'), headers: Record<string, string> = {}) =>
  world.call<{ orderId: string }>({ method: 'POST', path: '/basket/checkout', as, key, headers });

/** Adds a product to baskets, as soon as baskets know it. */
export async function inBasketsOf(sku: string, ...customers: readonly Caller[]): Promise<void> {
  for (const as of customers) {
    await world.eventually(`baskets know ${sku}`, async () => expect((await putItem(sku, 1, as)).status).toBe(200));
  }
}

/** Waits until a basket has these lines. */
export const holds = (as: Caller, lines: BasketView['lines']): Promise<BasketView> =>
  world.eventually('the basket has these lines', async () => {
    const basket = await world.client(as).getBasket();
    expect(basket.lines).toEqual(lines);
    return basket;
  });

/** Returns a new customer with a basket of their own. */
export const newCustomer = () => ({ customer: world.fresh('customer') });
