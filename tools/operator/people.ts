import { DeleteCommand, GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { PersonalKeys } from '@orderly/kit/personal-data';
import { stateKey } from '@orderly/kit/state-store';
import { aggregateKey, type DataContext, keysByPerson, type PeopleOfApp, type Service } from '@orderly/operator';
import { accountsContract } from '../../lambdas/accounts/contract.js';
import { basketsContract } from '../../lambdas/baskets/contract.js';
import { catalogContract } from '../../lambdas/catalog/contract.js';
import { inventoryContract } from '../../lambdas/inventory/contract.js';
import { ordersContract } from '../../lambdas/orders/contract.js';
import { CREATE_ORDER_SAGA, CUSTOMER_LISTS } from '../../lambdas/orders/keys.js';
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
import { profileOf, viewOf } from '../../lambdas/users/user-view.js';

/** Every service that has data about a person, by their id or by their orders' ids. */
export const peopleOfOrderly: PeopleOfApp = {
  /**
   * Deletes the customer id at Stripe and the hash of the payment method. A later payment finds both again, unless the
   * customer was deleted at Stripe.
   */
  async forget(context, person) {
    await stripeCustomers(context)?.forget(person);
    const payments = serviceNamed(context, paymentsContract.service);
    if (!payments) return;
    await context.documents.send(new DeleteCommand({ TableName: payments.table, Key: methodKey(person) }));
  },

  async aggregates(context, person) {
    const orders = await ordersOf(context, person);
    const ofOrders = (aggregate: string) => orders.map((id) => aggregateKey(aggregate, id));
    const payments = serviceNamed(context, paymentsContract.service);
    return [
      { contract: ordersContract, keys: ofOrders('Order') },
      { contract: createOrderContract, keys: ofOrders(CREATE_ORDER_SAGA) },
      { contract: inventoryContract, keys: ofOrders('Reservation') },
      { contract: catalogContract, keys: ofOrders('PriceCheck') },
      { contract: accountsContract, keys: [aggregateKey('Account', person)] },
      { contract: basketsContract, keys: [aggregateKey('Basket', person), ...ofOrders('Checkout')] },
      { contract: usersContract, keys: [aggregateKey(USER, person)] },
      { contract: paymentsContract, keys: payments ? await keysByPerson(context, payments, person) : [] },
    ];
  },

  async more(context, person, keys) {
    const stripeCustomer = await stripeCustomers(context)?.of(person);
    const payer = await payerOf(context, person);
    const user = await userOf(context, person, keys);
    const rewards = await rewardsOf(context, person);
    return {
      ...(stripeCustomer === undefined ? {} : { stripeCustomer }),
      ...(payer ? { payer } : {}),
      ...(user ? { user } : {}),
      ...(rewards ? { rewards } : {}),
    };
  },
};

const serviceNamed = ({ services }: DataContext, wanted: string): Service | undefined =>
  services.find(({ name }) => name === wanted);

function stripeCustomers(context: DataContext): StripeCustomers | undefined {
  const payments = serviceNamed(context, paymentsContract.service);
  return payments && new StripeCustomers(payments.table, context.documents);
}

/** Returns what payments know of a customer as a payer. Its events expire, so they may lack it. */
async function payerOf(context: DataContext, person: string): Promise<object | undefined> {
  const payments = serviceNamed(context, paymentsContract.service);
  if (!payments) return undefined;
  const read = async (Key: Record<string, string>) =>
    (await context.documents.send(new GetCommand({ TableName: payments.table, Key, ConsistentRead: true }))).Item;
  const [state, method] = await Promise.all([read(stateKey(PAYER, person)), read(methodKey(person))]);
  const { pk: _, sk: __, ...payer } = { ...state, ...method };
  return state || method ? payer : undefined;
}

/** Returns the user as an operator sees them. The events of a user expire, so they may lack the profile. */
async function userOf(context: DataContext, person: string, keys: PersonalKeys): Promise<object | undefined> {
  const users = serviceNamed(context, usersContract.service);
  if (!users) return undefined;
  const { Item } = await context.documents.send(
    new GetCommand({ TableName: users.table, Key: stateKey(USER, person), ConsistentRead: true }),
  );
  const user = Item as StoredUser | undefined;
  return user && viewOf(person, user, await profileOf(keys, person, user));
}

/** Returns a customer's points with all entries, oldest first; `undefined` if there are none. */
async function rewardsOf({ services, documents }: DataContext, person: string): Promise<object | undefined> {
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

/** Returns the ids of a person's orders. */
async function ordersOf(context: DataContext, person: string): Promise<readonly string[]> {
  const orders = serviceNamed(context, ordersContract.service);
  if (!orders) return [];
  const [withPersonalData, listed] = await Promise.all([
    keysByPerson(context, orders, person),
    // Orders without personal data are in no index, but in their customer's list (lambdas/orders/order-list.ts).
    listedOrders(context, orders, person),
  ]);
  return [...new Set([...withPersonalData, ...listed].map((key) => key.slice(key.lastIndexOf('#') + 1)))];
}

async function listedOrders(
  { documents }: DataContext,
  { table }: Service,
  person: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: table,
      KeyConditionExpression: 'pk = :list',
      ExpressionAttributeValues: { ':list': CUSTOMER_LISTS + person },
    },
  );
  for await (const { Items = [] } of pages) keys.push(...Items.map(({ sk }) => String(sk)));
  return keys;
}
