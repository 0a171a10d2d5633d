import { endpoint } from '../../platform/http.js';
import { paymentIdOf, paymentStore, visibleTo } from './payment-store.js';

/** GET /payments/{paymentId}: strongly consistent; somebody else's looks like none. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async ({ caller, parameter }) => ({
  status: 200,
  body: visibleTo(caller, await paymentStore.load(paymentIdOf(parameter('paymentId')))),
}));
