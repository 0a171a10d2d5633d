import { handleCommand, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { PriceCheckStore } from './aggregates.js';
import type { Facts } from './domain/price-check.js';
import { stepCommands } from './subscriptions.js';

/**
 * Handles the first step of an order's saga, which checks its prices. It decides once; a repeat gets the first answer.
 * @param readOffers reads the catalogue's offer of each known SKU
 */
export const confirmPrices = (
  priceCheckStore: PriceCheckStore,
  readOffers: (skus: readonly string[]) => Promise<Facts['offers']>,
): Source =>
  on(stepCommands, {
    ConfirmPrices: ({ event: command, trace }) =>
      // The offers are read in parallel with the check, because few commands are repeats, which don't need them.
      handleCommand(priceCheckStore, { id: command.data.orderId, command, trace }, async () => ({
        offers: await readOffers(command.data.lines.map(({ sku }) => sku)),
      })),
  });
