import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { sleepWithJitter } from './clock.js';
import { MAX_BATCH_KEYS } from './dynamodb-limits.js';
import type { Item } from './items.js';
import { Throttled } from './write-conflict.js';

/** A query without what says how much of it is read: {@link queryItems} sets that. */
export type ItemQuery = Omit<QueryCommandInput, 'Limit' | 'ExclusiveStartKey' | 'Select'>;

/** Part of a query that is read. */
export interface PageRequest {
  /** Number of items, from 1. */
  readonly limit: number;
  /** Key of the item before the part. @default the part begins with the query */
  readonly from?: Item | undefined;
  /**
   * Most calls, for a reader who knows that a part may be shorter than asked: it looks at `next`.
   * @default as many as it takes
   */
  readonly calls?: number | undefined;
}

/** Items of a query. */
export interface FoundItems {
  /** As many as were asked for; fewer only at the end of the query, or after `calls`. */
  readonly items: readonly Item[];
  /** Key from which the query continues. It is absent at its end. */
  readonly next?: Item;
}

/**
 * Reads items of a query until there are `limit` of them, or the query has ended. DynamoDB returns at most 1 MB at once, however
 * many items were asked for. So a page that is shorter than its limit is not the last one: only a page without `LastEvaluatedKey`
 * is (AWS, "Paginating table query results").
 * @example
 * const { items, next } = await queryItems(documentClient, { TableName, KeyConditionExpression, ... }, { limit: 20 });
 */
export async function queryItems(
  client: DynamoDBDocumentClient,
  query: ItemQuery,
  { limit, from, calls = Number.POSITIVE_INFINITY }: PageRequest,
): Promise<FoundItems> {
  const items: Item[] = [];
  let next = from;
  let called = 0;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({ ...query, Limit: limit - items.length, ...(next && { ExclusiveStartKey: next }) }),
    );
    items.push(...Items);
    next = LastEvaluatedKey;
    called++;
  } while (next && items.length < limit && called < calls);
  return { items, ...(next && { next }) };
}

/** How items are read. */
export interface ReadOptions {
  /** @default false */
  readonly consistent?: boolean;
  /** Attributes that are read. @default all */
  readonly attributes?: readonly string[];
}

/** Calls in a row that return nothing until the reading ends. */
const MAX_ATTEMPTS = 5;
const BACKOFF_MS = 20;

/**
 * Reads items by their keys, a hundred at a time; in any order, without those that don't exist. DynamoDB returns at most 16 MB at
 * once, and less if it throttles. The keys that it leaves unread are asked for again, as long as each few calls return something.
 * @param keys different keys
 * @throws {Throttled} if DynamoDB returns nothing again and again
 */
export async function readItems(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Item[],
  { consistent = false, attributes }: ReadOptions = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const names = attributes?.map((name, at) => [`#${at}`, name] as const);
  const options = {
    ConsistentRead: consistent,
    ...(names && {
      ProjectionExpression: names.map(([short]) => short).join(', '),
      ExpressionAttributeNames: Object.fromEntries(names),
    }),
  };
  for (let at = 0; at < keys.length; at += MAX_BATCH_KEYS) {
    let open: readonly Item[] = keys.slice(at, at + MAX_BATCH_KEYS);
    for (let fruitlessCalls = 0; open.length > 0; ) {
      if (fruitlessCalls > 0) await sleepWithJitter(BACKOFF_MS * 2 ** fruitlessCalls);
      const { Responses = {}, UnprocessedKeys = {} } = await client.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: [...open], ...options } } }),
      );
      items.push(...(Responses[table] ?? []));
      const left = UnprocessedKeys[table]?.Keys ?? [];
      fruitlessCalls = left.length < open.length ? 0 : fruitlessCalls + 1;
      if (fruitlessCalls === MAX_ATTEMPTS)
        throw new Throttled(`DynamoDB left ${left.length} keys of ${table} unread ${MAX_ATTEMPTS} times`);
      open = left;
    }
  }
  return items;
}
