import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { baskets as basketAggregate } from '../../lambdas/baskets/aggregates.js';
import { products as catalogueProducts } from '../../lambdas/catalog/aggregates.js';
import type { ProductStore } from '../../lambdas/catalog/product-store.js';
import { stockItems } from '../../lambdas/inventory/aggregates.js';
import { addressEffect } from '../../lambdas/orders/user-address.js';
import { payerEffect } from '../../lambdas/orders/user-payer.js';
import { statusEffect as userStatus } from '../../lambdas/orders/user-status.js';
import { statusEffect as accountStatus } from '../../lambdas/payments/account-status.js';
import { payers } from '../../lambdas/payments/aggregates.js';
import { type PayerStore, Payers } from '../../lambdas/payments/payers.js';
import { users } from '../../lambdas/users/aggregates.js';
import { type UserEvent, usersContract } from '../../lambdas/users/contract.js';
import { evolveStored, type StoredUser, type UserStore } from '../../lambdas/users/stored-user.js';
import { documentClient, type Item, transact } from '../../packages/kit/aws/dynamodb.js';
import { COMMIT_PREFIX } from '../../packages/kit/messages/keys.js';
import { stateStoreFromEnvironment } from '../../packages/kit/state-store/state-store-from-environment.js';
import { asJson } from '../../tools/docs/layout.js';
import { findExample } from '../../tools/docs/message-examples.js';
import { consumerEnvironment } from './consumed.js';
import { inProcessDynamoDb } from './in-process-dynamodb.js';
import { describeShape } from './json-shape.js';
import { buildTrace } from './tally.js';

/** Approved shapes of state-stored aggregates, and of copies of other services' states. */
export const APPROVED_STORED = new URL('../golden/stored-states.json', import.meta.url);

/** Shape of one kind of items. */
export interface StoredShape {
  /** Number of its schema, if its items have one. */
  readonly schema?: number;
  /** Types of the fields, by their paths. */
  readonly fields: Readonly<Record<string, string>>;
}
export type StoredShapes = Readonly<Record<string, StoredShape>>;

/** Returns the kind of a key: what comes before the ids. `Account#alice` is of kind `Account`. */
const kindOf = (key: unknown): string => String(key).split('#')[0] ?? '';

/**
 * Stores a state of each state-stored aggregate, and a copy of each thing that a service copies of another one, by the services' own
 * code; and returns the shapes of these items.
 */
export async function storedStates(): Promise<StoredShapes> {
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  consumerEnvironment('baskets', 'baskets-products');
  const trace = () => buildTrace(randomUUID());
  await copiesInOrders();
  await payersAndAccounts(trace);
  await basketsAndProducts(trace);
  const stock = await import('../../lambdas/inventory/stock-store.js');
  await stock.setStock(stateStoreFromEnvironment(stockItems), 'TEA-1', 10, undefined, trace());
  await usersByExamples();
  const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: 'table', ConsistentRead: true }));
  const kinds = new Map<string, Item[]>();
  for (const item of Items) {
    // Commits are approved by golden histories.
    if (String(item.sk).startsWith(COMMIT_PREFIX)) continue;
    const name = kindOf(item.pk) === 'HOLDERS' ? 'HOLDERS' : `${kindOf(item.pk)} ${kindOf(item.sk)}`;
    kinds.set(name, [...(kinds.get(name) ?? []), item]);
  }
  const sorted = <Value>(entries: Iterable<readonly [string, Value]>) =>
    Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return sorted(
    [...kinds].map(([name, items]) => {
      const fields = [...describeShape(items)].map(
        ([path, { types, isOptional }]) => [path + (isOptional ? '?' : ''), [...types].toSorted().join('|')] as const,
      );
      const schema = items[0]?.schema;
      return [name, { ...(typeof schema === 'number' && { schema }), fields: sorted(fields) }] as const;
    }),
  );
}

const AT = '2026-03-01T00:00:00.000Z';
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const position = { sequence: 1, epoch: 0 };
type NewTrace = () => ReturnType<typeof buildTrace>;

/** Copies that orders keep of users. */
async function copiesInOrders(): Promise<void> {
  const { table } = stateStoreFromEnvironment(payers);
  await transact([
    ...(await userStatus(table, 'ada', 'BLOCKED', position)),
    ...(await addressEffect(table, 'ada', { sealed: '1.x' }, position)),
    ...(await addressEffect(table, 'bob', undefined, position)),
    ...(await payerEffect(table, 'ada', { declinedCharges: [AT], methodChangedAt: AT }, position)),
    ...(await payerEffect(table, 'bob', { declinedCharges: [AT] }, position)),
  ]);
}

/** Customers as payers, and what payments know of accounts. */
async function payersAndAccounts(trace: NewTrace): Promise<void> {
  const store = stateStoreFromEnvironment(payers) as PayerStore;
  const all = new Payers(store);
  await transact([...(await accountStatus(store.table, 'ada', 'CLOSED', position))]);
  for (const method of ['one', 'another']) await transact([...(await all.methodWrites('ada', method, trace()))]);
  await transact([...(await all.declineWrites('ada', trace()))]);
  await transact([...(await all.declineWrites('bob', trace()))]);
}

/** Products of the catalogue, baskets' copies of them, and a basket whose line has got another price. */
async function basketsAndProducts(trace: NewTrace): Promise<void> {
  const { Products } = await import('../../lambdas/baskets/products.js');
  const { Baskets } = await import('../../lambdas/baskets/basket-store.js');
  const { setProduct } = await import('../../lambdas/catalog/product-store.js');
  const catalogue = stateStoreFromEnvironment(catalogueProducts) as ProductStore;
  const tea = { name: 'Tea', unitPrice: eur(350) };
  await setProduct(catalogue, 'TEA-1', tea, undefined, trace());
  await setProduct(catalogue, 'CUP-1', { ...tea, discontinued: true }, undefined, trace());
  const copies = new Products('table');
  const baskets = new Baskets(stateStoreFromEnvironment(basketAggregate), copies);
  const learn = async (more: object) =>
    transact([(await copies.chooseNewest({ sku: 'TEA-1', unitPrice: eur(350), version: 1, ...more })).write]);
  await learn({});
  await baskets.change({ type: 'SetItem', customerId: 'ada', sku: 'TEA-1', quantity: 2 }, trace());
  await baskets.change({ type: 'SetItem', customerId: 'bob', sku: 'TEA-1', quantity: 2 }, trace());
  await learn({ unitPrice: eur(300), version: 2 });
  await baskets.change({ type: 'Look', customerId: 'ada' }, trace());
  await learn({ sku: 'CUP-1', discontinued: true });
}

/** Users, by the examples of their events, with fields sealed as there: each state on the way under an id of its own. */
async function usersByExamples(): Promise<void> {
  const store = stateStoreFromEnvironment(users) as UserStore;
  let before: StoredUser | undefined;
  for (const [at, type] of Object.keys(usersContract.events).entries()) {
    const event = { type, data: findExample('users', type).data } as UserEvent;
    before = { ...evolveStored(before, [event]), version: at + 1, at: AT };
    await transact([store.stateWrite(`after-${type}`, undefined, before)]);
  }
}

/** Compares shapes with the approved ones. @returns one line for each kind of items that differs */
export function findStoredFaults(approved: StoredShapes, present: StoredShapes): readonly string[] {
  return [...new Set([...Object.keys(approved), ...Object.keys(present)])].flatMap((name) => {
    const [before, now] = [approved[name], present[name]];
    if (!before || !now) return [`${name}: is ${now ? 'new' : 'gone'}. Run npm run docs`];
    const paths = [...new Set([...Object.keys(before.fields), ...Object.keys(now.fields)])];
    const changed = paths.filter((path) => before.fields[path] !== now.fields[path]);
    if (changed.length === 0 && before.schema === now.schema) return [];
    const what = `${name}: ${changed.length > 0 ? `${changed.join(', ')} changed` : 'no field changed'}`;
    if (before.schema !== now.schema)
      return [`${what}, and schema is ${now.schema} instead of ${before.schema}. Run npm run docs`];
    return before.schema === undefined
      ? [
          `${what}. Deployed tables keep items of the old shape: read both, write a decision (docs/decisions) that says how, then run npm run docs`,
        ]
      : [`${what}, and schema is ${now.schema} as before: raise it, then run npm run docs`];
  });
}

/**
 * Returns the approval file's text.
 * @throws {Error} if a shape changed and the number of its schema did not
 */
export async function approvedStored(): Promise<string> {
  const present = await storedStates();
  const approved: StoredShapes = existsSync(APPROVED_STORED) ? JSON.parse(readFileSync(APPROVED_STORED, 'utf8')) : {};
  const wrong = findStoredFaults(approved, present).filter((fault) => fault.includes('as before'));
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return asJson(present);
}
