import type { Money } from '../../orders/contract.js';
import type { CatalogCommand, PriceCheckEvent, PricedLine, RefusalReason } from '../contract.js';
import { samePrice } from './product.js';

/**
 * What was found when an order's prices were first compared with the catalogue; its id is the order's. It stays as it is:
 * prices change, and an order that was told "yes" is not told "no" because its question came twice.
 */
export type PriceCheck = { readonly status: 'NONE' | 'CONFIRMED' } | ({ readonly status: 'REFUSED' } & Refusal);

interface Refusal {
  readonly reason: RefusalReason;
  readonly skus: readonly string[];
  /** What the catalogue said that the lines cost. */
  readonly prices?: readonly PricedLine[];
}

/** Everything that isn't in the state or the command. */
export interface Context {
  /** The catalogue's price of each SKU that it has. */
  readonly prices: ReadonlyMap<string, Money>;
}

export const initialState: PriceCheck = { status: 'NONE' };

/** Which event answers: never none, since whoever sent the command waits for one. */
export function decide(
  check: PriceCheck,
  { data: { orderId, stepId, lines } }: CatalogCommand,
  { prices }: Context,
): readonly PriceCheckEvent[] {
  const step = { orderId, stepId };
  switch (check.status) {
    case 'CONFIRMED':
      return [{ type: 'SagaReplyRequested', data: { ...step, outcome: 'DONE' } }];
    case 'REFUSED': {
      return [{ type: 'SagaReplyRequested', data: { ...step, outcome: 'REFUSED', ...copyOf(check) } }];
    }
    case 'NONE': {
      const unknown = lines.filter(({ sku }) => !prices.has(sku));
      if (unknown.length > 0) {
        const refusal = { reason: 'UNKNOWN_PRODUCT', skus: unknown.map(({ sku }) => sku) } as const;
        return [{ type: 'PricesRefused', data: { ...step, ...refusal } }];
      }
      const changed = lines.flatMap(({ sku, unitPrice: agreed }) => {
        const unitPrice = prices.get(sku) ?? agreed;
        return samePrice(agreed, unitPrice) ? [] : [{ sku, unitPrice }];
      });
      if (changed.length === 0) return [{ type: 'PricesConfirmed', data: step }];
      const refusal = { reason: 'PRICE_CHANGED', skus: changed.map(({ sku }) => sku), prices: changed } as const;
      return [{ type: 'PricesRefused', data: { ...step, ...refusal } }];
    }
  }
}

const copyOf = ({ reason, skus, prices }: Refusal) => ({
  reason,
  skus: [...skus],
  ...(prices ? { prices: [...prices] } : {}),
});

/** Total: any event in any state. */
export function evolve(check: PriceCheck, event: PriceCheckEvent): PriceCheck {
  switch (event.type) {
    case 'PricesConfirmed':
      return { status: 'CONFIRMED' };
    case 'PricesRefused':
      return { status: 'REFUSED', ...copyOf(event.data) };
    case 'SagaReplyRequested':
      return check;
  }
}
