import { consumer } from '../../packages/kit/idempotent-consumer/consumer.js';
import { on } from '../../packages/kit/idempotent-consumer/listening.js';
import { decide } from './domain/price-check.js';
import { priceCheckStore } from './price-check-store.js';
import { pricesOf } from './product-store.js';
import { steps } from './subscriptions.js';

/** The first step of an order's saga: are these the prices? Answered once; a repeat gets the answer that was given. */
export const handler = consumer([
  on(steps, {
    ConfirmPrices: ({ event: command, trace }) => ({
      decide: async () => {
        const { orderId, lines } = command.data;
        // At once: hardly any command is a repeat, of which the prices would not matter.
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
