import type { Decider } from '@orderly/kit/decider';
import type { Money } from '../../orders/contract.js';
import type { CatalogCommand, PriceCheckEvent, PricedLine, RefusalReason } from '../contract.js';
import { isSamePrice } from './product.js';

/**
 * Result of the first comparison of an order's lines with the catalogue; its id is the order's. It never changes:
 * prices change and products are discontinued, but an order whose prices were confirmed is not refused later because
 * its command was redelivered.
 */
export type PriceCheck = { readonly status: 'NONE' | 'CONFIRMED' } | ({ readonly status: 'REFUSED' } & Refusal);

interface Refusal {
  readonly reason: RefusalReason;
  readonly skus: readonly string[];
  /** Catalogue prices of the lines. */
  readonly prices?: readonly PricedLine[];
}

/** Part of a product that decides about an order. */
export interface Offer {
  readonly unitPrice: Money;
  readonly discontinued?: true;
}

/** Inputs of a decision besides state, command and time. */
export interface Facts {
  /** Offer of each known SKU. */
  readonly offers: ReadonlyMap<string, Offer>;
}

/**
 * Returns the event that answers the command. There is always one, because the sender waits for it. A refusal has one
 * reason: an unknown product before a discontinued one, and both before a changed price, because a new price does not
 * help as long as a product isn't sold.
 */
function decide(
  check: PriceCheck,
  { data: { orderId, stepId, lines } }: CatalogCommand,
  { offers }: Facts,
): readonly PriceCheckEvent[] {
  const step = { orderId, stepId };
  switch (check.status) {
    case 'CONFIRMED':
      return [{ type: 'SagaReplyRequested', data: { ...step, outcome: 'DONE' } }];
    case 'REFUSED': {
      return [{ type: 'SagaReplyRequested', data: { ...step, outcome: 'REFUSED', ...copyRefusal(check) } }];
    }
    case 'NONE': {
      const unknown = lines.filter(({ sku }) => !offers.has(sku));
      if (unknown.length > 0) {
        const refusal = { reason: 'UNKNOWN_PRODUCT', skus: unknown.map(({ sku }) => sku) } as const;
        return [{ type: 'PricesRefused', data: { ...step, ...refusal } }];
      }
      const discontinued = lines.filter(({ sku }) => offers.get(sku)?.discontinued);
      if (discontinued.length > 0) {
        const refusal = { reason: 'PRODUCT_DISCONTINUED', skus: discontinued.map(({ sku }) => sku) } as const;
        return [{ type: 'PricesRefused', data: { ...step, ...refusal } }];
      }
      const changed = lines.flatMap(({ sku, unitPrice: agreed }) => {
        const unitPrice = offers.get(sku)?.unitPrice ?? agreed;
        return isSamePrice(agreed, unitPrice) ? [] : [{ sku, unitPrice }];
      });
      if (changed.length === 0) return [{ type: 'PricesConfirmed', data: step }];
      const refusal = { reason: 'PRICE_CHANGED', skus: changed.map(({ sku }) => sku), prices: changed } as const;
      return [{ type: 'PricesRefused', data: { ...step, ...refusal } }];
    }
  }
}

const copyRefusal = ({ reason, skus, prices }: Refusal) => ({
  reason,
  skus: [...skus],
  ...(prices ? { prices: [...prices] } : {}),
});

/** Folds an event into a state. It is total: it accepts any event in any state. */
function evolve(check: PriceCheck, event: PriceCheckEvent): PriceCheck {
  switch (event.type) {
    case 'PricesConfirmed':
      return { status: 'CONFIRMED' };
    case 'PricesRefused':
      return { status: 'REFUSED', ...copyRefusal(event.data) };
    case 'SagaReplyRequested':
      return check;
  }
}

/** Rules of a price check. */
export const priceCheckDecider: Decider<PriceCheck, CatalogCommand, PriceCheckEvent, Facts> = {
  initialState: { status: 'NONE' },
  evolve,
  decide,
  stateSchema: 2,
};
