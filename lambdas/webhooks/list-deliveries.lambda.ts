import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { decodeCursor, encodeCursor, parseLimit } from '@orderly/kit/http';
import * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { webhooks } from './aggregates.js';
import { readDeliveriesBefore, toDeliveryView } from './delivery-rows.js';
import { listDeliveries } from './routes.js';
import { parseWebhookId, requireVisible } from './webhook-store.js';

const table = tableFromEnvironment();
const webhookStore = eventStoreFromEnvironment(webhooks);

/** GET /webhooks/{webhookId}/deliveries: what was sent, with each attempt, the newest delivery first. */
export const handler = endpoint(listDeliveries, async ({ caller, query, parameter }) => {
  const { webhookId } = requireVisible(caller, await webhookStore.load(parseWebhookId(parameter('webhookId'))));
  const list = `deliveries of ${webhookId}`;
  const limit = parseLimit(query);
  const before = decodeCursor(list, query.cursor, z.string());
  const found = await readDeliveriesBefore(table, webhookId, before, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return {
    status: 200,
    body: { items: items.map(toDeliveryView), ...(more ? { nextCursor: encodeCursor(list, last.deliveryId) } : {}) },
  };
});
