import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { payments } from './aggregates.js';
import { shownTo } from './customer-data-keys.js';
import { paymentIdOf } from './payment-store.js';
import { getPayment } from './routes.js';

const paymentStore = eventStoreOfFunction(payments);
const people = personalKeysOfFunction();

/** GET /payments/{paymentId}: strongly consistent; another customer's payment looks like a missing one. */
export const handler = endpoint(getPayment, async ({ caller, parameter }) => ({
  status: 200,
  body: await shownTo(people, caller, await paymentStore.load(paymentIdOf(parameter('paymentId')))),
}));
