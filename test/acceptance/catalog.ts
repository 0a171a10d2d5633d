import { expect } from 'vitest';
import type { CatalogCommand, PricedLine, ProductView } from '../../lambdas/catalog/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { eur } from './accounts.js';
import { newOrderId, toCatalog } from './messages.js';
import type { ApiAnswer, Caller } from './world.js';

/** Preconditions and waits of scenarios about the catalogue. */

export const putProduct = (sku: string, body: object, headers: Record<string, string> = {}) =>
  world.call<ProductView>({ method: 'PUT', path: `/products/${sku}`, as: 'operator', body, headers });

export const getProduct = (sku: string, as: Caller = 'alice'): Promise<ApiAnswer<ProductView>> =>
  world.call({ method: 'GET', path: `/products/${sku}`, as });

/** Sets the price of a product. @returns its SKU, by default one of the scenario's own */
export async function priced(amount: number, sku = world.fresh('sku')): Promise<string> {
  await world.client('operator').setProduct({ sku, body: { name: 'Tea', unitPrice: eur(amount) } });
  return sku;
}

export const at = (sku: string, amount: number): PricedLine => ({ sku, unitPrice: eur(amount) });

/** Returns the first step of an order's saga. */
export const confirm = (lines: readonly PricedLine[], orderId = newOrderId()): CatalogCommand => ({
  type: 'ConfirmPrices',
  data: { orderId, stepId: `${orderId}/confirm-prices`, lines: [...lines] },
});

/** Sends the command and waits for its answer: the events of the commit that it caused. */
export async function checked(command: CatalogCommand): Promise<readonly Envelope[]> {
  const message = toCatalog(command);
  await world.publish(message);
  return answerOf(message);
}

export const answerOf = ({ id, data }: Envelope): Promise<readonly Envelope[]> =>
  world.eventually(`the catalogue has answered ${id}`, async () => {
    const { orderId } = data as CatalogCommand['data'];
    const events = await world.events({ aggregate: 'PriceCheck', id: orderId });
    const own = events.filter(({ causationid }) => causationid === id);
    expect(own).not.toEqual([]);
    return own;
  });
