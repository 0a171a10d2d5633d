import { documentClient, type Item, queryItems, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import { MAX_WEBHOOKS } from './contract.js';
import type { StoredWebhook } from './domain/webhook.js';
import { FORGOTTEN, SUBSCRIBERS } from './keys.js';

/** Webhooks of all orders, or those of one customer's. */
export type Scope = { readonly customerId?: string };

/** A customer's partition has a mark, so that no customer is called `all`. */
const partitionOf = ({ customerId }: Scope): string =>
  customerId === undefined ? `${SUBSCRIBERS}all` : `${SUBSCRIBERS}of#${customerId}`;

/** Returns the write of a webhook's row in its list. It commits with each change of the webhook, so the list is exact. */
export const subscriberWrite = ({ name }: Pick<Table, 'name'>, webhook: StoredWebhook): TransactWriteItem => ({
  Put: { TableName: name, Item: { ...webhook, pk: partitionOf(webhook), sk: webhook.webhookId } },
});

/** Returns the write that takes a deleted webhook off its list. */
export const unsubscribeWrite = (
  { name }: Pick<Table, 'name'>,
  webhook: Scope & Pick<StoredWebhook, 'webhookId'>,
): TransactWriteItem => ({
  Delete: { TableName: name, Key: { pk: partitionOf(webhook), sk: webhook.webhookId } },
});

/** Reads all webhooks of a list, strongly consistent. Two registrations at once may exceed the limit by some. */
export async function readSubscribers({ name }: Pick<Table, 'name'>, scope: Scope): Promise<readonly StoredWebhook[]> {
  const query = {
    TableName: name,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partitionOf(scope) },
    ConsistentRead: true,
  };
  const { items } = await queryItems(documentClient, query, { limit: 2 * MAX_WEBHOOKS });
  return items.map(toWebhook);
}

function toWebhook({ pk: _, sk: __, ...webhook }: Item): StoredWebhook {
  return webhook as unknown as StoredWebhook;
}

/** Key of the mark that a customer was forgotten. */
export const forgottenKey = (customerId: string) => ({ pk: FORGOTTEN + customerId, sk: 'FORGOTTEN' });

/** Returns the write of the mark that a customer was forgotten. It is repeatable. */
export const forgottenWrite = ({ name }: Pick<Table, 'name'>, customerId: string): TransactWriteItem => ({
  Put: { TableName: name, Item: forgottenKey(customerId) },
});

/** Returns the check that a customer is not forgotten. A forgotten one registers no webhook any more. */
export const notForgottenCheck = ({ name }: Pick<Table, 'name'>, customerId: string): TransactWriteItem => ({
  ConditionCheck: {
    TableName: name,
    Key: forgottenKey(customerId),
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});
