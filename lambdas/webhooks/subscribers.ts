import { documentClient, type Item, queryItems, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import { MAX_WEBHOOKS, type WebhookView } from './contract.js';
import { SUBSCRIBERS } from './keys.js';

/** Webhooks of all orders, or those of one customer's. */
export type Scope = { readonly customerId?: string };

/** A customer's partition has a mark, so that no customer is called `all`. */
const partitionOf = ({ customerId }: Scope): string =>
  customerId === undefined ? `${SUBSCRIBERS}all` : `${SUBSCRIBERS}of#${customerId}`;

/** Returns the write of a webhook's row in its list. It commits with each change of the webhook, so the list is exact. */
export const subscriberWrite = ({ name }: Pick<Table, 'name'>, webhook: WebhookView): TransactWriteItem => ({
  Put: { TableName: name, Item: { ...webhook, pk: partitionOf(webhook), sk: webhook.webhookId } },
});

/** Returns the write that takes a deleted webhook off its list. */
export const unsubscribeWrite = (
  { name }: Pick<Table, 'name'>,
  webhook: Scope & Pick<WebhookView, 'webhookId'>,
): TransactWriteItem => ({
  Delete: { TableName: name, Key: { pk: partitionOf(webhook), sk: webhook.webhookId } },
});

/** Reads all webhooks of a list, strongly consistent. Two registrations at once may exceed the limit by some. */
export async function readSubscribers({ name }: Pick<Table, 'name'>, scope: Scope): Promise<readonly WebhookView[]> {
  const query = {
    TableName: name,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partitionOf(scope) },
    ConsistentRead: true,
  };
  const { items } = await queryItems(documentClient, query, { limit: 2 * MAX_WEBHOOKS });
  return items.map(toWebhook);
}

function toWebhook({ pk: _, sk: __, ...webhook }: Item): WebhookView {
  return webhook as unknown as WebhookView;
}
