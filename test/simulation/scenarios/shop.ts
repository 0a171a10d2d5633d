import type { Answered, Orderly } from '../../support/simulation/orderly.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns the request for an order: by default, one piece of each SKU. */
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

/** Returns the request for an order of one piece at the price that the customer agreed to. */
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

/** Returns an operator's request to dispatch an order. */
export const dispatchOf = (orderId: unknown, key: string) =>
  ({ method: 'POST', path: `/orders/${String(orderId)}/dispatch`, as: 'operator', key }) as const;

/** Returns an operator's request to refund a part of a dispatched order, for goods that came back. */
export const returnOf = (orderId: unknown, key: string, amount: number) =>
  ({
    method: 'POST',
    path: `/payments/${String(orderId)}/refund`,
    as: 'operator',
    key,
    body: { amount: { amount, currency: 'EUR' } },
  }) as const;

/**
 * Returns an operator's request to set a product.
 * @param more further fields, such as `discontinued`
 */
export const productOf = (sku: string, amount = 350, more: object = {}) =>
  ({
    method: 'PUT',
    path: `/products/${sku}`,
    as: 'operator',
    body: { name: sku, unitPrice: { amount, currency: 'EUR' }, ...more },
  }) as const;

/** Places an order and waits for its answer. */
export const placed = (orderly: Orderly, as: string, key: string): Promise<Answered> =>
  orderly.call(orderOf(as, key, ['TEA-1']));

/** Sets products, their prices and their stock as an operator. */
export async function stocked(orderly: Orderly, stock: Readonly<Record<string, number>>): Promise<void> {
  for (const [sku, onHand] of Object.entries(stock)) {
    await orderly.call(productOf(sku));
    await orderly.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand } });
  }
}
