import { endpoint } from '../endpoint.js';
import { shownTo } from './customer-data-keys.js';
import { paymentIdOf, paymentStore } from './payment-store.js';

/** GET /payments/{paymentId}: strongly consistent; another customer's payment looks like a missing one. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async ({ caller, parameter }) => ({
  status: 200,
  body: await shownTo(caller, await paymentStore.load(paymentIdOf(parameter('paymentId')))),
}));
