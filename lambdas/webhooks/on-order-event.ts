import { newId, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import { decideOn, decideOnNew } from '@orderly/kit/event-store';
import { noEffect } from '@orderly/kit/idempotent-consumer';
import { type InboxSource, on, type WorkHandle, type WorkMessage } from '@orderly/kit/inbox';
import type { OrderEvent } from '../orders/contract.js';
import type { DeliveryStore, FeedStore } from './aggregates.js';
import type { WebhookView } from './contract.js';
import { newDeliveryWrite } from './delivery-rows.js';
import { ORDER_CUSTOMERS } from './keys.js';
import { buildPayload, type OfferedEvent } from './payloads.js';
import { readSubscribers } from './subscribers.js';
import { orderEvents } from './subscriptions.js';

/** Stores of the fan-out of an event. */
export interface FanOut {
  readonly table: Table;
  readonly deliveries: DeliveryStore;
  readonly feeds: FeedStore;
  /** Customer of the synthetic orders, which nobody receives events of. */
  readonly syntheticCustomer?: string | undefined;
}

/**
 * Makes one delivery of each event for each webhook that asked for it. The events of an order come in their order, so its first one has
 * named the customer before a later one, which may not name them, needs the name; and the deliveries of an order have its order.
 */
export function onOrderEvent(fanOut: FanOut): InboxSource {
  const announce: WorkHandle<OfferedEvent> = (message) => ({ decide: () => buildDeliveries(fanOut, message) });
  const ignore: WorkHandle<OrderEvent> = () => noEffect;
  return on(orderEvents, {
    OrderPlaced: announce,
    OrderApproved: announce,
    OrderDispatched: announce,
    OrderRejected: announce,
    OrderCancelled: announce,
    // Customers are not told why they are reviewed, and neither are their shops.
    OrderReviewStarted: ignore,
    OrderReviewEnded: ignore,
  });
}

async function buildDeliveries(
  fanOut: FanOut,
  message: WorkMessage<OfferedEvent>,
): Promise<readonly TransactWriteItem[]> {
  const { table, syntheticCustomer } = fanOut;
  const { event } = message;
  const { orderId } = event.data;
  const isFirst = event.type === 'OrderPlaced';
  const customerId = isFirst ? event.data.customerId : await readCustomer(table, orderId);
  if (customerId !== undefined && customerId === syntheticCustomer) return [];
  const lists = [
    readSubscribers(table, {}),
    ...(customerId === undefined ? [] : [readSubscribers(table, { customerId })]),
  ];
  const chosen = (await Promise.all(lists))
    .flat()
    .filter(({ status, events }) => status === 'ACTIVE' && events.includes(event.type));
  const writes = await Promise.all(chosen.map((webhook) => buildDelivery(fanOut, webhook, { message, customerId })));
  return [...(isFirst ? [customerWrite(table, orderId, event.data.customerId)] : []), ...writes.flat()];
}

async function buildDelivery(
  { table, deliveries, feeds }: FanOut,
  { webhookId, inOrder }: WebhookView,
  { message, customerId }: { readonly message: WorkMessage<OfferedEvent>; readonly customerId: string | undefined },
): Promise<readonly TransactWriteItem[]> {
  const { event, envelope, trace } = message;
  const { time, sequence } = envelope;
  const deliveryId = newId();
  const command = { type: 'Send', webhookId, deliveryId } as const;
  const { orderId } = event.data;
  const { write } = inOrder
    ? await decideOn(feeds, { id: `${webhookId}.${orderId}`, command, trace })
    : decideOnNew(deliveries, { id: deliveryId, command, trace });
  const row = newDeliveryWrite(table, {
    webhookId,
    deliveryId,
    messageId: envelope.id,
    type: event.type,
    orderId,
    occurredAt: time,
    payload: buildPayload(event, { time, sequence, customerId }),
    status: 'PENDING',
    since: time,
    attempts: [],
  });
  return [write, row];
}

const customerKey = (orderId: string) => ({ pk: ORDER_CUSTOMERS + orderId, sk: 'CUSTOMER' });

const customerWrite = ({ name }: Pick<Table, 'name'>, orderId: string, customerId: string): TransactWriteItem => ({
  Put: { TableName: name, Item: { ...customerKey(orderId), customerId } },
});

/** Returns an order's customer; nothing for an order whose first event was discarded. */
async function readCustomer(table: Pick<Table, 'read'>, orderId: string): Promise<string | undefined> {
  const found = await table.read(customerKey(orderId));
  return found && String(found.customerId);
}
