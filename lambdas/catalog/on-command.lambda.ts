import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { decide } from './domain/price-check.js';
import { priceCheckStore } from './price-check-store.js';
import { pricesOf } from './product-store.js';
import { steps } from './subscriptions.js';

/**
 * Handles the first step of an order's saga, which checks its prices. It decides once; a repeat gets the first answer.
 */
export const handler = consumer([
  on(steps, {
    ConfirmPrices: ({ event: command, trace }) => ({
      decide: async () => {
        const { orderId, lines } = command.data;
        // Both reads run in parallel, because few commands are repeats, which don't need the prices.
        const [check, prices] = await Promise.all([
          priceCheckStore.load(orderId),
          pricesOf(lines.map(({ sku }) => sku)),
        ]);
        const events = decide(check.state, command, { prices });
        return [priceCheckStore.appendWrite(priceCheckStore.commit(check, events, trace))];
      },
    }),
  }),
]);
