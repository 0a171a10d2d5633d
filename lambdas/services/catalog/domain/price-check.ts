import type { Money } from '../../orders/contract.js';
import type { CatalogCommand, PriceCheckEvent, RefusalReason } from '../contract.js';
import { samePrice } from './product.js';

/**
 * What was found when an order's prices were first compared with the catalogue; its id is the order's. It stays as it is:
 * prices change, and an order that was told "yes" is not told "no" because its question came twice.
 */
export type PriceCheck =
  | { readonly status: 'NONE' | 'CONFIRMED' }
  | { readonly status: 'REFUSED'; readonly reason: RefusalReason; readonly skus: readonly string[] };

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
      const { reason, skus } = check;
      return [{ type: 'SagaReplyRequested', data: { ...step, outcome: 'REFUSED', reason, skus: [...skus] } }];
    }
    case 'NONE': {
      const unknown = lines.filter(({ sku }) => !prices.has(sku));
      if (unknown.length > 0) return [refused(step, 'UNKNOWN_PRODUCT', unknown)];
      const changed = lines.filter(({ sku, unitPrice }) => !samePrice(unitPrice, prices.get(sku) ?? unitPrice));
      if (changed.length > 0) return [refused(step, 'PRICE_CHANGED', changed)];
      return [{ type: 'PricesConfirmed', data: step }];
    }
  }
}

const refused = (
  step: { readonly orderId: string; readonly stepId: string },
  reason: RefusalReason,
  lines: readonly { readonly sku: string }[],
): PriceCheckEvent => ({ type: 'PricesRefused', data: { ...step, reason, skus: lines.map(({ sku }) => sku) } });

/** Total: any event in any state. */
export function evolve(check: PriceCheck, event: PriceCheckEvent): PriceCheck {
  switch (event.type) {
    case 'PricesConfirmed':
      return { status: 'CONFIRMED' };
    case 'PricesRefused':
      return { status: 'REFUSED', reason: event.data.reason, skus: event.data.skus };
    case 'SagaReplyRequested':
      return check;
  }
}
