import { randomBytes } from 'node:crypto';
import type { PlayableToy } from '@orderly/simulator';
import type { OrderView } from '../../lambdas/orders/contract.js';
import { expectFromApi } from './api.js';
import { makeToken } from './dev-issuer.js';
import { euros, openShop } from './shop.js';

/** Customer whose orders the page places. */
export const CUSTOMER = 'alice';

/**
 * Orders that the page offers to place. The sandbox's card does what the amount says (lambdas/payments/README.md,
 * "The sandbox").
 */
const ORDERS = [
  { id: 'order', label: 'Place an order', about: 'Its card is charged, and it is approved.', amount: 1_900 },
  {
    id: 'declined',
    label: 'Declined card',
    about: 'Its charge is refused: what was reserved for it is released, step by step.',
    amount: 40_200,
  },
  { id: 'slow', label: 'Slow card', about: 'Its charge is answered after 10 seconds.', amount: 20_200 },
  {
    id: 'unclear',
    label: 'Unclear card',
    about: 'Nobody knows whether its charge was made: it is asked again and again, and then reviewed.',
    amount: 50_000,
  },
  {
    id: 'answer-lost',
    label: 'Card whose answer is lost',
    about: 'It is charged, and the answer never comes: the same charge is asked for again, and made once.',
    amount: 50_400,
  },
] as const;

/** What the page of a local cloud offers to try. */
export const orderlyToys = (): readonly PlayableToy[] => ORDERS.map(toToy);

function toToy({ id, label, about, amount }: (typeof ORDERS)[number]): PlayableToy {
  return {
    id,
    label,
    about,
    async play({ url, ahead }) {
      const apiUrl = `${url}/v1`;
      const run = randomBytes(3).toString('hex');
      const sku = `${id.toUpperCase()}-${run}`;
      const operator = makeToken({ sub: 'console', role: 'operator', ahead });
      await openShop({ apiUrl, token: operator }, [{ sku, name: label, price: amount, onHand: 10 }], [CUSTOMER]);
      const order = await expectFromApi<OrderView>(apiUrl, 'POST /orders', {
        token: makeToken({ sub: CUSTOMER, role: 'customer', ahead }),
        key: `console-${run}`,
        body: { lines: [{ sku, quantity: 1, unitPrice: euros(amount) }] },
      });
      return { text: `${CUSTOMER} has ordered one ${sku}.`, id: order.orderId };
    },
  };
}
