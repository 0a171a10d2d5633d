import type { Table, TransactWriteItem } from '@orderly/kit/aws';
import type { HistoryPosition, Loaded } from '@orderly/kit/event-store';
import { type Caller, CallerId, Problem } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import type { Role } from '../app.js';
import type { AccountStore } from './aggregates.js';
import type { AccountEvent, AccountView } from './contract.js';
import { type Account, toView } from './domain/account.js';
import { type Authorization, authorizationDecider, evolveAuthorization } from './domain/authorization.js';
import { ACCOUNT } from './keys.js';

/** Page size of reads that fold an authorization from events. */
const PAGE = 100;

const { initialState, stateSchema: AUTHORIZATION_SCHEMA } = authorizationDecider;

/** Accounts, and their authorizations, which are items of the same table. */
export interface AccountStores {
  readonly accountStore: AccountStore;
  readonly table: Table;
}

/** Facts that an account keeps about one order. */
export interface OrderOfAccount {
  readonly authorization: Authorization;
  /** Version of the account with the order's newest event; 0 if there is none. */
  readonly version: number;
  /** Version of the account's first event that names the order; absent if there is none. */
  readonly first?: number;
}

/**
 * Reads an account and its authorizations of these orders, strongly consistent. The authorization of an order is a separate
 * item and no part of the account's state, for two reasons: an account lives forever, and its snapshot has a size limit. And
 * an order has to be remembered forever, or a command that is redelivered, however late, would have a second effect.
 */
export async function loadOrders(
  { accountStore, table }: AccountStores,
  customerId: string,
  orderIds: readonly string[],
): Promise<{ readonly account: Loaded<Account>; readonly orders: ReadonlyMap<string, OrderOfAccount> }> {
  // BatchGetItem refuses a key that is named twice.
  const keys = [...new Set(orderIds)].map((orderId) => keyOf(customerId, orderId));
  const [account, items] = await Promise.all([accountStore.load(customerId), table.readAll(keys)]);
  const orders = items.map(async (item) => {
    const orderId = String(item.sk).slice(AUTHORIZATIONS.length);
    const stored = item as unknown as StoredAuthorization;
    const { version, first } = stored;
    const authorization = await loadAuthorization(accountStore, stored, customerId, orderId);
    return [orderId, { authorization, version, first }] as const;
  });
  return { account, orders: new Map(await Promise.all(orders)) };
}

/** Prefix of the sort keys of authorizations. */
const AUTHORIZATIONS = 'AUTH#';

const keyOf = (customerId: string, orderId: string) => ({
  pk: aggregateKey(ACCOUNT, customerId),
  sk: AUTHORIZATIONS + orderId,
});

interface StoredAuthorization {
  readonly schema: number;
  /** Version of the account with the order's newest event. */
  readonly version: number;
  readonly first: number;
  /** JSON. */
  readonly authorization: string;
}

/**
 * Returns the authorization in an item, or folds it from the account's events if the item has another schema (an
 * earlier release's, or a later one's after a rollback). It folds the events between the order's first and newest one,
 * so the number of reads depends on how long the order was in progress, not on the account's age. The next write
 * upgrades the item to the current schema.
 */
async function loadAuthorization(
  accountStore: AccountStore,
  { schema, authorization, first, version: newest }: StoredAuthorization,
  customerId: string,
  orderId: string,
): Promise<Authorization> {
  if (schema === AUTHORIZATION_SCHEMA) return JSON.parse(authorization) as Authorization;
  let folded = initialState.authorization;
  let from: HistoryPosition | undefined = { commit: first, shown: first - 1 };
  while (from) {
    const { items, next }: Awaited<ReturnType<AccountStore['history']>> = await accountStore.history(
      customerId,
      from,
      PAGE,
    );
    for (const { version, type, data } of items) {
      // Later events are not in the item that was read, so the write of this decision will be refused.
      if (version > newest) return folded;
      const event = { type, data } as AccountEvent;
      if ('orderId' in event.data && event.data.orderId === orderId) folded = evolveAuthorization(folded, event);
    }
    from = next;
  }
  return folded;
}

/**
 * Returns the write of an order's authorization after what was decided, for the transaction of the account's commits.
 * Without events it is the check that the order is as it was read: an outdated decision that nothing is to do would
 * otherwise be recorded as the answer to a message.
 *
 * The account's own optimistic lock doesn't protect the order's item, since the two reads are no snapshot:
 *
 *     this delivery                 another one, about the same order
 *     read the order: nothing yet
 *                                   transact: authorised at version 7
 *     load the account: version 7
 *     transact: version 8 is free; only the order's own version shows that it was authorised
 */
export function orderWrite(
  { table: TableName }: AccountStore,
  ids: { readonly customerId: string; readonly orderId: string },
  read: OrderOfAccount,
  decided: OrderOfAccount,
): TransactWriteItem {
  const key = keyOf(ids.customerId, ids.orderId);
  const isAsRead = read.version === 0 ? 'attribute_not_exists(pk)' : 'version = :version';
  const asRead = {
    ConditionExpression: isAsRead,
    ...(read.version === 0 ? {} : { ExpressionAttributeValues: { ':version': read.version } }),
  };
  // Not by the versions: an order that was read later than its account may have the version that was decided.
  if (decided === read) return { ConditionCheck: { TableName, Key: key, ...asRead } };
  const { authorization, version, first } = decided;
  const Item = { ...key, schema: AUTHORIZATION_SCHEMA, version, first, authorization: JSON.stringify(authorization) };
  return { Put: { TableName, Item, ...asRead } };
}

const refuseUnknownAccount = (): never => {
  throw new Problem('not-found', 'this customer has no account');
};

/** Reads a customer's id from a path; any text of another form isn't looked up. @throws {Problem} 404 */
export function parseCustomerId(parameter: string): string {
  return CallerId.safeParse(parameter).success ? parameter : refuseUnknownAccount();
}

/**
 * Returns the id if the caller may see that account.
 * @throws {Problem} 404 for another customer's account, as for a missing one
 */
export const checkOwner = ({ id, role }: Caller<Role>, customerId: string): string =>
  role === 'operator' || customerId === id ? customerId : refuseUnknownAccount();

/** @throws {Problem} 404 if the account was not opened (yet) */
export const requireAccount = (loaded: Loaded<Account> | undefined): AccountView =>
  (loaded && toView(loaded.id, loaded.state, loaded.version)) ?? refuseUnknownAccount();
