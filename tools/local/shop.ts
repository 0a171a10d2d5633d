import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from './api.js';
import { waitUntil } from './progress.js';

/** Product of a demonstration. */
export interface Article {
  readonly sku: string;
  readonly name: string;
  /** Price in cents. */
  readonly price: number;
  readonly onHand: number;
}

export const euros = (cents: number) => ({ amount: cents, currency: 'EUR' });

/** Credit limit, enough for many demonstrations with the same data. */
const CREDIT = euros(1_000_000_00);

/** API of a shop, and the token to set it up with. */
export interface Shop {
  readonly apiUrl: string;
  /** Token of an operator. */
  readonly token: string;
}

/**
 * Sets the price and stock of each article, and the credit limit of each customer. An order needs all three to be
 * approved.
 */
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
 * @param moved as for `waitUntil`
 * @throws {Error} if the order is still pending and nothing moves any more
 */
export function awaitDecision({ apiUrl, token }: Shop, orderId: string, moved: () => unknown): Promise<OrderView> {
  return waitUntil(
    async () => {
      const order = await expectFromApi<OrderView>(apiUrl, `GET /orders/${orderId}`, { token });
      return order.status === 'PENDING' ? undefined : order;
    },
    { everyMs: 250, missing: () => `order ${orderId} is still PENDING`, moved },
  );
}
