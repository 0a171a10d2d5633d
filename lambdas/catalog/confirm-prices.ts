import { commandOn, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { PriceCheckStore } from './aggregates.js';
import type { Facts } from './domain/price-check.js';
import { steps } from './subscriptions.js';

/**
 * Handles the first step of an order's saga, which checks its prices. It decides once; a repeat gets the first answer.
 * @param offersOf reads the catalogue's offer of each known SKU
 */
export const confirmPrices = (
  priceCheckStore: PriceCheckStore,
  offersOf: (skus: readonly string[]) => Promise<Facts['offers']>,
): Source =>
  on(steps, {
    ConfirmPrices: ({ event: command, trace }) =>
      // The offers are read in parallel with the check, because few commands are repeats, which don't need them.
      commandOn(priceCheckStore, { id: command.data.orderId, command, trace }, async () => ({
        offers: await offersOf(command.data.lines.map(({ sku }) => sku)),
      })),
  });
