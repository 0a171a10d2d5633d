import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { documents, type TransactWriteItem } from '../../packages/kit/aws/dynamodb.js';
import { Env } from '../../packages/kit/aws/environment.js';
import { feedShards, required } from '../../packages/kit/aws/read-environment.js';
import { DynamoDbEventStore } from '../../packages/kit/event-store/dynamodb-event-store.js';
import type { HistoryPosition, Loaded } from '../../packages/kit/event-store/event-store.js';
import { type Caller, CallerId } from '../../packages/kit/http/auth.js';
import { Problem } from '../../packages/kit/http/errors.js';
import { aggregateKey } from '../../packages/kit/messages/commit.js';
import type { Trace } from '../../packages/kit/messages/trace.js';
import type { Role } from '../app.js';
import { type AccountEvent, type AccountView, accountsContract } from './contract.js';
import { type Account, evolveAccount, viewOf } from './domain/account.js';
import { type Authorization, evolve, evolveAuthorization, initialState } from './domain/authorization.js';

const TableName = required(Env.TABLE);
const AGGREGATE = 'Account';
/** Of the shape of `Authorization`: raised when it changes, as a state's. What has another number is never read. */
const AUTHORIZATION_SCHEMA = 1;

/** Events of a read, where an authorization is folded anew. */
const PAGE = 100;

/** Accounts, in the service's own table; the account's id is the customer's. */
export const accountStore = new DynamoDbEventStore<Account, AccountEvent>(
  { table: TableName, aggregate: AGGREGATE, contract: accountsContract, feedShards: feedShards() },
  { initialState: initialState.account, evolve: evolveAccount, stateSchema: 2 },
);

/** An account, and what it knows of one order. */
export interface OrderOfAccount {
  readonly account: Loaded<Account>;
  readonly authorization: Authorization;
  readonly key: { readonly pk: string; readonly sk: string };
  /** Version of the account that the authorization was written with; 0 where there is none. */
  readonly since: number;
  /** Version of the account's first event that names the order, or will. */
  readonly first: number;
}

/**
 * Reads both, strongly consistent. What is known of an order is an item of its own, and not in the account's state: an
 * account lives for ever, its snapshot has a limit, and an order has to be known for ever too, or a command that comes
 * once more, however late, would have a second effect.
 */
export async function orderOfAccount(customerId: string, orderId: string): Promise<OrderOfAccount> {
  const key = { pk: aggregateKey(AGGREGATE, customerId), sk: `AUTH#${orderId}` };
  const [account, { Item }] = await Promise.all([
    accountStore.load(customerId),
    documents.send(new GetCommand({ TableName, Key: key, ConsistentRead: true })),
  ]);
  if (!Item) {
    return { account, authorization: initialState.authorization, key, since: 0, first: account.version + 1 };
  }
  const { version: since, first } = Item;
  return {
    account,
    authorization: await authorizationIn(Item as StoredAuthorization, customerId, orderId),
    key,
    since,
    first,
  };
}

interface StoredAuthorization {
  readonly schema: number;
  /** Of the account, with the order's newest event. */
  readonly version: number;
  readonly first: number;
  /** JSON. */
  readonly authorization: string;
}

/**
 * What an item says, or, where it has another shape (an earlier release's, or a later one's after a rollback), what the
 * account's events say: those between the order's first and its newest, so its reads are bounded by how long the order
 * was under way, not by the account's age. The next write brings the item into the present shape.
 */
async function authorizationIn(
  { schema, authorization, first, version: newest }: StoredAuthorization,
  customerId: string,
  orderId: string,
): Promise<Authorization> {
  if (schema === AUTHORIZATION_SCHEMA) return JSON.parse(authorization) as Authorization;
  let folded = initialState.authorization;
  let from: HistoryPosition | undefined = { commit: first, shown: first - 1 };
  while (from) {
    const { items, next }: Awaited<ReturnType<typeof accountStore.history>> = await accountStore.history(
      customerId,
      from,
      PAGE,
    );
    for (const { version, type, data } of items) {
      // What came after the item was read isn't in it: the write of this decision will be refused.
      if (version > newest) return folded;
      const event = { type, data } as AccountEvent;
      if ('orderId' in event.data && event.data.orderId === orderId) folded = evolveAuthorization(folded, event);
    }
    from = next;
  }
  return folded;
}

/**
 * The account's commit of these events, and what is known of the order after them: together in one transaction.
 *
 * The account's own lock doesn't guard the order's item, since the two reads are no snapshot:
 *
 *     this one                      another, about the same order
 *     read the order: nothing yet
 *                                   transact: authorised at version 7
 *     load the account: version 7
 *     transact: version 8 is free; only the order's own version tells that it was authorised
 */
export function writesOf(order: OrderOfAccount, events: readonly AccountEvent[], trace: Trace): TransactWriteItem[] {
  const { account, authorization, key, since, first } = order;
  const commit = accountStore.commit(account, events, trace);
  const after = events.reduce(evolve, { account: account.state, authorization });
  const isAsRead = since === 0 ? 'attribute_not_exists(pk)' : 'version = :since';
  return [
    accountStore.appendWrite(commit),
    {
      Put: {
        TableName,
        Item: {
          ...key,
          schema: AUTHORIZATION_SCHEMA,
          version: commit.lastVersion,
          first,
          authorization: JSON.stringify(after.authorization),
        },
        ConditionExpression: isAsRead,
        ...(since === 0 ? {} : { ExpressionAttributeValues: { ':since': since } }),
      },
    },
  ];
}

const noSuchAccount = (): never => {
  throw new Problem('not-found', 'there is no account of this customer');
};

/** Reads a customer's id from an address; another text isn't looked up. @throws {Problem} 404 */
export function customerIdOf(parameter: string): string {
  // Gateways differ in whether they decode a path's parameters; no id holds a % of its own.
  const id = parameter.replace(/%([0-7][0-9A-Fa-f])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return CallerId.safeParse(id).success ? id : noSuchAccount();
}

/** The id, where the caller may see that account. @throws {Problem} 404 for somebody else's, which looks like none */
export const ownOf = ({ id, role }: Caller<Role>, customerId: string): string =>
  role === 'operator' || customerId === id ? customerId : noSuchAccount();

/** @throws {Problem} 404 where the account wasn't opened (yet) */
export const existing = (loaded: Loaded<Account> | undefined): AccountView =>
  (loaded && viewOf(loaded.id, loaded.state, loaded.version)) ?? noSuchAccount();
