import { DeleteCommand, GetCommand, PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { PersonalKeys } from '@orderly/kit/personal-data';
import { stateKey } from '@orderly/kit/state-store';
import {
  aggregateKey,
  type DataContext,
  findKeysByPerson,
  type PersonalDataSource,
  type Service,
} from '@orderly/operator';
import { accountsContract } from '../../lambdas/accounts/contract.js';
import { basketsContract } from '../../lambdas/baskets/contract.js';
import { catalogContract } from '../../lambdas/catalog/contract.js';
import { inventoryContract } from '../../lambdas/inventory/contract.js';
import { ordersContract } from '../../lambdas/orders/contract.js';
import { CREATE_ORDER_SAGA, CUSTOMER_LISTS, LISTED_ORDER } from '../../lambdas/orders/keys.js';
import { createOrderContract } from '../../lambdas/orders/saga-contract.js';
import { paymentsContract } from '../../lambdas/payments/contract.js';
import { PAYER } from '../../lambdas/payments/keys.js';
import { methodKey } from '../../lambdas/payments/payers.js';
import { StripeCustomers } from '../../lambdas/payments/provider/stripe-customers.js';
import { type RewardEntry, rewardsContract } from '../../lambdas/rewards/contract.js';
import { ENTRY, REWARDS } from '../../lambdas/rewards/keys.js';
import { usersContract } from '../../lambdas/users/contract.js';
import { USER } from '../../lambdas/users/keys.js';
import type { StoredUser } from '../../lambdas/users/stored-user.js';
import { readProfile, toView } from '../../lambdas/users/user-view.js';
import { type WebhookView, webhooksContract } from '../../lambdas/webhooks/contract.js';
import type { StoredWebhook } from '../../lambdas/webhooks/domain/webhook.js';
import { SUBSCRIBERS } from '../../lambdas/webhooks/keys.js';
import { forgottenKey } from '../../lambdas/webhooks/subscribers.js';
import { showWebhook } from '../../lambdas/webhooks/webhook-store.js';

/** Every service that has data about a person, by their id or by their orders' ids. */
export const peopleOfOrderly: PersonalDataSource = {
  /**
   * Deletes the customer id at Stripe and the hash of the payment method. A later payment finds both again, unless the
   * customer was deleted at Stripe. Ends the webhooks of the person's shop: the key of each address and its secrets is deleted.
   */
  async forget(context, person, erase) {
    await forgetWebhooks(context, person, erase);
    await stripeCustomers(context)?.forget(person);
    const payments = findService(context, paymentsContract.service);
    if (!payments) return;
    await context.documents.send(new DeleteCommand({ TableName: payments.table, Key: methodKey(person) }));
  },

  async aggregates(context, person) {
    const orders = await findOrders(context, person);
    const ofOrders = (aggregate: string) => orders.map((id) => aggregateKey(aggregate, id));
    const payments = findService(context, paymentsContract.service);
    return [
      { contract: ordersContract, keys: ofOrders('Order') },
      { contract: createOrderContract, keys: ofOrders(CREATE_ORDER_SAGA) },
      { contract: inventoryContract, keys: ofOrders('Reservation') },
      { contract: catalogContract, keys: ofOrders('PriceCheck') },
      { contract: accountsContract, keys: [aggregateKey('Account', person)] },
      { contract: basketsContract, keys: [aggregateKey('Basket', person), ...ofOrders('Checkout')] },
      { contract: usersContract, keys: [aggregateKey(USER, person)] },
      { contract: paymentsContract, keys: payments ? await findKeysByPerson(context, payments, person) : [] },
    ];
  },

  async exportMore(context, person, keys) {
    const stripeCustomer = await stripeCustomers(context)?.find(person);
    const payer = await readPayer(context, person);
    const user = await readUser(context, person, keys);
    const rewards = await readRewards(context, person);
    const webhooks = await readWebhooks(context, person, keys);
    return {
      ...(stripeCustomer === undefined ? {} : { stripeCustomer }),
      ...(payer ? { payer } : {}),
      ...(user ? { user } : {}),
      ...(rewards ? { rewards } : {}),
      ...(webhooks.length > 0 ? { webhooks } : {}),
    };
  },
};

const findService = ({ services }: DataContext, wanted: string): Service | undefined =>
  services.find(({ name }) => name === wanted);

function stripeCustomers(context: DataContext): StripeCustomers | undefined {
  const payments = findService(context, paymentsContract.service);
  return payments && new StripeCustomers(payments.table, context.documents);
}

/** Returns what payments know of a customer as a payer. Its events expire, so they may lack it. */
async function readPayer(context: DataContext, person: string): Promise<object | undefined> {
  const payments = findService(context, paymentsContract.service);
  if (!payments) return undefined;
  const read = async (Key: Record<string, string>) =>
    (await context.documents.send(new GetCommand({ TableName: payments.table, Key, ConsistentRead: true }))).Item;
  const [state, method] = await Promise.all([read(stateKey(PAYER, person)), read(methodKey(person))]);
  const { pk: _, sk: __, ...payer } = { ...state, ...method };
  return state || method ? payer : undefined;
}

/** Returns the user as an operator sees them. The events of a user expire, so they may lack the profile. */
async function readUser(context: DataContext, person: string, keys: PersonalKeys): Promise<object | undefined> {
  const users = findService(context, usersContract.service);
  if (!users) return undefined;
  const { Item } = await context.documents.send(
    new GetCommand({ TableName: users.table, Key: stateKey(USER, person), ConsistentRead: true }),
  );
  const user = Item as StoredUser | undefined;
  return user && toView(person, user, await readProfile(keys, person, user));
}

/** Returns a customer's points with all entries, oldest first; `undefined` if there are none. */
async function readRewards({ services, documents }: DataContext, person: string): Promise<object | undefined> {
  const rewards = services.find(({ name }) => name === rewardsContract.service);
  if (!rewards) return undefined;
  const entries: RewardEntry[] = [];
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: rewards.table,
      KeyConditionExpression: 'pk = :customer AND begins_with(sk, :entries)',
      ExpressionAttributeValues: { ':customer': REWARDS + person, ':entries': ENTRY },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) entries.push(...Items.map(({ entry }) => JSON.parse(entry) as RewardEntry));
  return entries.length === 0 ? undefined : { points: entries.reduce((sum, { points }) => sum + points, 0), entries };
}

/** Ends a shop's webhooks. The mark is there before the list is read, so no registration is missed (on-user-event.ts). */
async function forgetWebhooks(
  context: DataContext,
  person: string,
  erase: (id: string) => Promise<void>,
): Promise<void> {
  const webhooks = findService(context, webhooksContract.service);
  if (!webhooks) return;
  await context.documents.send(new PutCommand({ TableName: webhooks.table, Item: forgottenKey(person) }));
  for (const { webhookId } of await readStoredWebhooks(context, person)) await erase(webhookId);
}

/** Returns the webhooks of a shop, without their secrets. */
const readWebhooks = async (
  context: DataContext,
  person: string,
  keys: PersonalKeys,
): Promise<readonly WebhookView[]> =>
  Promise.all((await readStoredWebhooks(context, person)).map((one) => showWebhook(keys, one)));

async function readStoredWebhooks(context: DataContext, person: string): Promise<readonly StoredWebhook[]> {
  const webhooks = findService(context, webhooksContract.service);
  if (!webhooks) return [];
  const found: StoredWebhook[] = [];
  const pages = paginateQuery(
    { client: context.documents },
    {
      TableName: webhooks.table,
      KeyConditionExpression: 'pk = :shop',
      ExpressionAttributeValues: { ':shop': `${SUBSCRIBERS}of#${person}` },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages)
    found.push(...Items.map(({ pk: _, sk: __, ...webhook }) => webhook as unknown as StoredWebhook));
  return found;
}

/** Returns the ids of a person's orders. */
async function findOrders(context: DataContext, person: string): Promise<readonly string[]> {
  const orders = findService(context, ordersContract.service);
  if (!orders) return [];
  const [withPersonalData, listed] = await Promise.all([
    findKeysByPerson(context, orders, person),
    // Orders without personal data are in no index, but in their customer's list (lambdas/orders/order-list.ts).
    readListedOrders(context, orders, person),
  ]);
  return [...new Set([...withPersonalData, ...listed].map((key) => key.slice(key.lastIndexOf('#') + 1)))];
}

async function readListedOrders(
  { documents }: DataContext,
  { table }: Service,
  person: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: table,
      KeyConditionExpression: 'pk = :list AND begins_with(sk, :order)',
      ExpressionAttributeValues: { ':list': CUSTOMER_LISTS + person, ':order': LISTED_ORDER },
    },
  );
  for await (const { Items = [] } of pages) keys.push(...Items.map(({ sk }) => String(sk)));
  return keys;
}
