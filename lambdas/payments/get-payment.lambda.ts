import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { payments } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { parsePaymentId } from './payment-store.js';
import { getPayment } from './routes.js';

const paymentStore = eventStoreFromEnvironment(payments);
const personalKeys = personalKeysFromEnvironment();

/** GET /payments/{paymentId}: strongly consistent; another customer's payment looks like a missing one. */
export const handler = endpoint(getPayment, async ({ caller, parameter }) => ({
  status: 200,
  body: await viewForCaller(personalKeys, caller, await paymentStore.load(parsePaymentId(parameter('paymentId')))),
}));
