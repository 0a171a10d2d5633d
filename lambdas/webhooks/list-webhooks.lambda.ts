import { tableFromEnvironment } from '@orderly/kit/aws';
import { Problem } from '@orderly/kit/http';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { listWebhooks } from './routes.js';
import { readSubscribers } from './subscribers.js';
import { scopeOf, showWebhook } from './webhook-store.js';

const table = tableFromEnvironment();
const personalKeys = personalKeysFromEnvironment();

/** GET /webhooks: a shop's own webhooks; for an operator those of all orders, or of one shop. */
export const handler = endpoint(listWebhooks, async ({ caller, query: { customerId } }) => {
  if (caller.role !== 'operator' && customerId !== undefined && customerId !== caller.id)
    throw new Problem('forbidden', 'shops may list only their own webhooks; customerId is for operators');
  const scope = customerId === undefined ? scopeOf(caller) : { customerId };
  const found = await readSubscribers(table, scope);
  return { status: 200, body: { items: await Promise.all(found.map((one) => showWebhook(personalKeys, one))) } };
});
