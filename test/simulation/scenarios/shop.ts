import type { Answered, Orderly } from '../support/orderly.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An order that a scenario places: one piece of each SKU, unless it says otherwise. */
export const orderOf = (as: string, key: string, skus: readonly string[], quantity = 1, clientReference?: string) =>
  ({
    method: 'POST',
    path: '/orders',
    as,
    key,
    body: {
      lines: skus.map((sku) => ({ sku, quantity, unitPrice: { amount: 350, currency: 'EUR' } })),
      ...(clientReference === undefined ? {} : { clientReference }),
    },
  }) as const;

/** An order of one piece for which the customer agreed to this price. */
export const orderAt = (as: string, key: string, sku: string, amount: number) =>
  ({
    method: 'POST',
    path: '/orders',
    as,
    key,
    body: { lines: [{ sku, quantity: 1, unitPrice: { amount, currency: 'EUR' } }] },
  }) as const;

export const cancellationOf = (as: string, orderId: unknown, key: string, reason?: string) =>
  ({
    method: 'POST',
    path: `/orders/${String(orderId)}/cancellation`,
    as,
    key,
    body: reason === undefined ? {} : { reason },
  }) as const;

/** A product as an operator sets it. */
export const productOf = (sku: string, amount = 350) =>
  ({
    method: 'PUT',
    path: `/products/${sku}`,
    as: 'operator',
    body: { name: sku, unitPrice: { amount, currency: 'EUR' } },
  }) as const;

/** Places an order and waits for its answer. */
export const placed = (orderly: Orderly, as: string, key: string): Promise<Answered> =>
  orderly.call(orderOf(as, key, ['TEA-1']));

/** Products with their prices and their stock, as an operator sets them. */
export async function stocked(orderly: Orderly, stock: Readonly<Record<string, number>>): Promise<void> {
  for (const [sku, onHand] of Object.entries(stock)) {
    await orderly.call(productOf(sku));
    await orderly.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand } });
  }
}
