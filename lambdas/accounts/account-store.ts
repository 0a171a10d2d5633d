import type { Table, TransactWriteItem } from '@orderly/kit/aws';
import type { HistoryPosition, Loaded } from '@orderly/kit/event-store';
import { type Caller, CallerId, Problem } from '@orderly/kit/http';
import type { Trace } from '@orderly/kit/messages';
import { aggregateKey } from '@orderly/kit/messages';
import type { Role } from '../app.js';
import type { AccountStore } from './aggregates.js';
import type { AccountEvent, AccountView } from './contract.js';
import { type Account, viewOf } from './domain/account.js';
import { type Authorization, authorizationDecider, evolveAuthorization } from './domain/authorization.js';
import { ACCOUNT } from './keys.js';

/** Page size of reads that fold an authorization from events. */
const PAGE = 100;

const { initialState, evolve, stateSchema: AUTHORIZATION_SCHEMA } = authorizationDecider;

/** Accounts, and their authorizations, which are items of the same table. */
export interface AccountStores {
  readonly accountStore: AccountStore;
  readonly table: Table;
}

/** An account, and its authorization of one order. */
export interface OrderOfAccount {
  readonly account: Loaded<Account>;
  readonly authorization: Authorization;
  readonly key: { readonly pk: string; readonly sk: string };
  /** Version of the account with which the authorization was written; 0 if there is none. */
  readonly since: number;
  /** Version of the account's first event that names the order, now or in this decision. */
  readonly first: number;
}

/**
 * Reads both, strongly consistent. The authorization of an order is a separate item and no part of the account's state,
 * for two reasons: an account lives forever, and its snapshot has a size limit. And an order has to be remembered
 * forever, or a command that is redelivered, however late, would have a second effect.
 */
export async function orderOfAccount(
  { accountStore, table }: AccountStores,
  customerId: string,
  orderId: string,
): Promise<OrderOfAccount> {
  const key = { pk: aggregateKey(ACCOUNT, customerId), sk: `AUTH#${orderId}` };
  const [account, item] = await Promise.all([accountStore.load(customerId), table.read(key)]);
  if (!item) {
    return { account, authorization: initialState.authorization, key, since: 0, first: account.version + 1 };
  }
  const stored = item as unknown as StoredAuthorization;
  const { version: since, first } = stored;
  return {
    account,
    authorization: await authorizationIn(accountStore, stored, customerId, orderId),
    key,
    since,
    first,
  };
}

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
async function authorizationIn(
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
 * Builds the account's commit of these events and the write of the order's authorization after them, for one
 * transaction. Without events it is the check that the order is as it was read: an outdated decision that nothing is to
 * do would otherwise be recorded as the answer to a message.
 *
 * The account's own optimistic lock doesn't protect the order's item, since the two reads are no snapshot:
 *
 *     this delivery                 another one, about the same order
 *     read the order: nothing yet
 *                                   transact: authorised at version 7
 *     load the account: version 7
 *     transact: version 8 is free; only the order's own version shows that it was authorised
 */
export function writesOf(
  accountStore: AccountStore,
  order: OrderOfAccount,
  events: readonly AccountEvent[],
  trace: Trace,
): TransactWriteItem[] {
  const { account, authorization, key, since, first } = order;
  const isAsRead = since === 0 ? 'attribute_not_exists(pk)' : 'version = :since';
  const asRead = {
    ConditionExpression: isAsRead,
    ...(since === 0 ? {} : { ExpressionAttributeValues: { ':since': since } }),
  };
  if (events.length === 0) return [{ ConditionCheck: { TableName: accountStore.table, Key: key, ...asRead } }];
  const commit = accountStore.commit(account, events, trace);
  const after = events.reduce(evolve, { account: account.state, authorization });
  return [
    accountStore.appendWrite(commit),
    {
      Put: {
        TableName: accountStore.table,
        Item: {
          ...key,
          schema: AUTHORIZATION_SCHEMA,
          version: commit.lastVersion,
          first,
          authorization: JSON.stringify(after.authorization),
        },
        ...asRead,
      },
    },
  ];
}

const noSuchAccount = (): never => {
  throw new Problem('not-found', 'this customer has no account');
};

/** Reads a customer's id from a path; any text of another form isn't looked up. @throws {Problem} 404 */
export function customerIdOf(parameter: string): string {
  // Gateways differ in whether they decode path parameters; no id contains a % itself.
  const id = parameter.replace(/%([0-7][0-9A-Fa-f])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return CallerId.safeParse(id).success ? id : noSuchAccount();
}

/**
 * Returns the id if the caller may see that account.
 * @throws {Problem} 404 for another customer's account, as for a missing one
 */
export const ownOf = ({ id, role }: Caller<Role>, customerId: string): string =>
  role === 'operator' || customerId === id ? customerId : noSuchAccount();

/** @throws {Problem} 404 if the account was not opened (yet) */
export const existing = (loaded: Loaded<Account> | undefined): AccountView =>
  (loaded && viewOf(loaded.id, loaded.state, loaded.version)) ?? noSuchAccount();
