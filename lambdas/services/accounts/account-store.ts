import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { aggregateKey } from '../../patterns/event-store/commit.js';
import { DynamoDbEventStore } from '../../patterns/event-store/dynamodb-event-store.js';
import type { Loaded } from '../../patterns/event-store/event-store.js';
import type { Trace } from '../../patterns/trace.js';
import { type Caller, CallerId } from '../../platform/auth.js';
import { documents, type TransactWriteItem } from '../../platform/dynamodb.js';
import { Env } from '../../platform/environment.js';
import { Problem } from '../../platform/errors.js';
import { feedShards, required } from '../../platform/read-environment.js';
import { type AccountEvent, type AccountView, accountsContract } from './contract.js';
import { type Account, evolveAccount, viewOf } from './domain/account.js';
import { type Authorization, evolve, initialState } from './domain/authorization.js';

const TableName = required(Env.TABLE);
const AGGREGATE = 'Account';

/** Accounts, in the service's own table; the account's id is the customer's. */
export const accountStore = new DynamoDbEventStore<Account, AccountEvent>(
  { table: TableName, aggregate: AGGREGATE, contract: accountsContract, feedShards: feedShards() },
  { initialState: initialState.account, evolve: evolveAccount, stateSchema: 1 },
);

/** An account, and what it knows of one order. */
export interface OrderOfAccount {
  readonly account: Loaded<Account>;
  readonly authorization: Authorization;
  readonly key: { readonly pk: string; readonly sk: string };
  /** Version of the account that the authorization was written with; 0 where there is none. */
  readonly since: number;
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
  const authorization = Item ? (JSON.parse(Item.authorization) as Authorization) : initialState.authorization;
  return { account, authorization, key, since: Item?.version ?? 0 };
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
  const { account, authorization, key, since } = order;
  const commit = accountStore.commit(account, events, trace);
  const after = events.reduce(evolve, { account: account.state, authorization });
  const isAsRead = since === 0 ? 'attribute_not_exists(pk)' : 'version = :since';
  return [
    accountStore.appendWrite(commit),
    {
      Put: {
        TableName,
        Item: { ...key, version: commit.lastVersion, authorization: JSON.stringify(after.authorization) },
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
export const ownOf = ({ id, role }: Caller, customerId: string): string =>
  role === 'operator' || customerId === id ? customerId : noSuchAccount();

/** @throws {Problem} 404 where the account wasn't opened (yet) */
export const existing = (loaded: Loaded<Account> | undefined): AccountView =>
  (loaded && viewOf(loaded.id, loaded.state, loaded.version)) ?? noSuchAccount();
