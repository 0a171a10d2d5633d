import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from './api.js';
import { waitUntil } from './progress.js';

/** What a demonstration sells. */
export interface Article {
  readonly sku: string;
  readonly name: string;
  /** Cents. */
  readonly price: number;
  readonly onHand: number;
}

export const euros = (cents: number) => ({ amount: cents, currency: 'EUR' });

/** Enough for many demonstrations with the same data. */
const CREDIT = euros(1_000_000_00);

/** An API, and who may set its shop up. */
export interface Shop {
  readonly apiUrl: string;
  /** An operator's. */
  readonly token: string;
}

/** Prices and stock of each article, and credit for whoever is to order: what an order needs to be approved. */
export async function openShop(
  { apiUrl, token }: Shop,
  articles: readonly Article[],
  customers: readonly string[],
): Promise<void> {
  const put = (path: string, body: object) => expectFromApi(apiUrl, `PUT ${path}`, { token, body });
  await Promise.all([
    ...articles.flatMap(({ sku, name, price, onHand }) => [
      put(`/products/${sku}`, { name, unitPrice: euros(price) }),
      put(`/stock/${sku}`, { onHand }),
    ]),
    ...customers.map((customer) => put(`/accounts/${customer}/credit-limit`, { creditLimit: CREDIT })),
  ]);
}

/**
 * Waits until an order is approved or rejected.
 * @throws {Error} where it isn't, and nothing moves any more (`moved`, as of `waitUntil`)
 */
export function decided({ apiUrl, token }: Shop, orderId: string, moved: () => unknown): Promise<OrderView> {
  return waitUntil(
    async () => {
      const order = await expectFromApi<OrderView>(apiUrl, `GET /orders/${orderId}`, { token });
      return order.status === 'PENDING' ? undefined : order;
    },
    { everyMs: 250, missing: () => `order ${orderId} is still PENDING`, moved },
  );
}
