import type { DeciderStore } from '@orderly/kit/event-store';
import { commandOn, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { CatalogCommand, PriceCheckEvent } from './contract.js';
import type { Facts, PriceCheck } from './domain/price-check.js';
import { steps } from './subscriptions.js';

/**
 * Handles the first step of an order's saga, which checks its prices. It decides once; a repeat gets the first answer.
 * @param offersOf reads the catalogue's offer of each known SKU
 */
export const confirmPrices = (
  priceCheckStore: DeciderStore<PriceCheck, CatalogCommand, PriceCheckEvent, Facts>,
  offersOf: (skus: readonly string[]) => Promise<Facts['offers']>,
): Source =>
  on(steps, {
    ConfirmPrices: ({ event: command, trace }) =>
      // The offers are read in parallel with the check, because few commands are repeats, which don't need them.
      commandOn(priceCheckStore, { id: command.data.orderId, command, trace }, async () => ({
        offers: await offersOf(command.data.lines.map(({ sku }) => sku)),
      })),
  });
