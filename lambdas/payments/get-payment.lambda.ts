import { endpoint } from '../endpoint.js';
import { paymentIdOf, paymentStore } from './payment-store.js';
import { shownTo } from './people.js';

/** GET /payments/{paymentId}: strongly consistent; somebody else's looks like none. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async ({ caller, parameter }) => ({
  status: 200,
  body: await shownTo(caller, await paymentStore.load(paymentIdOf(parameter('paymentId')))),
}));
