/** Translates statements into the requests of other operations. */
import { validation } from '../errors.js';
import { findValue } from '../expressions/paths.js';
import { Words } from '../expressions/words.js';
import { attributeNames, type KeySchema } from '../table-definition.js';
import type { Item, WireObject } from '../wire.js';
import { type Condition, type Conjunction, joinWithAnd } from './conditions.js';
import type { PartiQlPath } from './operands.js';
import type { Delete, Insert, Select, Update } from './statement.js';

const SORT_OPERATORS: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>=', 'BETWEEN', 'begins_with']);

/** The key that a condition demands, and what else it does. */
interface Keyed {
  readonly Key: WireObject;
  readonly others: Conjunction;
}

/** @throws {DynamoDbError} ValidationException unless all key attributes are compared with one value each */
export function splitKey(where: Conjunction, key: KeySchema): Keyed {
  const equals = attributeNames(key).map((name) => where.find((condition) => isEqual(condition, name)));
  if (equals.includes(undefined)) {
    throw validation('Where clause does not contain a mandatory equality on all key attributes');
  }
  return {
    Key: Object.fromEntries(equals.map((found) => [found?.comparison?.name, found?.comparison?.values[0]])),
    others: where.filter((condition) => !equals.includes(condition)),
  };
}

const isEqual = ({ comparison }: Condition, name: string): boolean =>
  comparison?.name === name && comparison.operator === '=';

/** Returns a Query if the partition key is given, and a Scan otherwise. */
export function toQueryOrScan(
  select: Select,
  key: KeySchema,
): { readonly operation: 'Query' | 'Scan'; readonly input: WireObject } {
  const { table: TableName, index, where, paths, order } = select;
  const words = new Words();
  const partition = where.find((condition) => isEqual(condition, key.partition));
  const sort = where.find(
    ({ comparison }) =>
      key.sort !== undefined && comparison?.name === key.sort && SORT_OPERATORS.has(comparison.operator),
  );
  const others = where.filter((condition) => condition !== partition && condition !== sort);
  // A filter of a Query can't use its keys, so what else is demanded of them takes a Scan.
  const queries =
    partition !== undefined && !others.some(({ names }) => attributeNames(key).some((name) => names.has(name)));
  if (order && (!queries || order.name !== (key.sort ?? key.partition))) {
    throw validation('Variable reference in ORDER BY clause must be part of the primary key, whose hash key is given');
  }
  const filter = queries ? others : where;
  const keys = sort ? [partition as Condition, sort] : [partition as Condition];
  const tops = new Set(paths?.map(([name]) => String(name)));
  return {
    operation: queries ? 'Query' : 'Scan',
    input: {
      TableName,
      ...(index === undefined ? {} : { IndexName: index }),
      ...(queries ? { KeyConditionExpression: keys.map(({ write }) => write(words)).join(' AND ') } : {}),
      ...(filter.length > 0 ? { FilterExpression: joinWithAnd(filter).write(words) } : {}),
      ...(paths ? { ProjectionExpression: [...tops].map((name) => words.name(name)).join(', ') } : {}),
      ...(order ? { ScanIndexForward: !order.descending } : {}),
      ...words.members(),
    },
  };
}

/** Returns a GetItem, for a transaction. */
export function toGetItem({ table: TableName, where, paths }: Select, key: KeySchema): WireObject {
  const { Key, others } = splitKey(where, key);
  if (others.length > 0)
    throw validation('Select statements within ExecuteTransaction must specify the primary key only');
  const words = new Words();
  const tops = new Set(paths?.map(([name]) => String(name)));
  const projection = [...tops].map((name) => words.name(name)).join(', ');
  return { TableName, Key, ...(paths ? { ProjectionExpression: projection } : {}), ...words.members() };
}

/** Returns a PutItem that fails if there is such an item. */
export function toPutItem({ table: TableName, item: Item }: Insert, key: KeySchema): WireObject {
  const words = new Words();
  const ConditionExpression = `attribute_not_exists(${words.name(key.partition)})`;
  return { TableName, Item, ConditionExpression, ...words.members() };
}

/** Returns an UpdateItem that fails if there is no such item. */
export function toUpdateItem({ table: TableName, actions, where }: Update, key: KeySchema): WireObject {
  const { Key, others } = splitKey(where, key);
  const words = new Words();
  const sections = new Map<string, string[]>();
  for (const { section, write } of actions) sections.set(section, [...(sections.get(section) ?? []), write(words)]);
  const UpdateExpression = [...sections].map(([section, texts]) => `${section} ${texts.join(', ')}`).join(' ');
  const exists = `attribute_exists(${words.name(key.partition)})`;
  const ConditionExpression = [exists, ...others.map(({ write }) => write(words))].join(' AND ');
  return { TableName, Key, UpdateExpression, ConditionExpression, ...words.members() };
}

/** Returns a DeleteItem, or with `check` a ConditionCheck of the same item. */
export function toDeleteItem(
  { table: TableName, where }: Pick<Delete, 'table' | 'where'>,
  key: KeySchema,
  check = false,
): WireObject {
  const { Key, others } = splitKey(where, key);
  const words = new Words();
  const exists = check ? [`attribute_exists(${words.name(key.partition)})`] : [];
  const conditions = [...exists, ...others.map(({ write }) => write(words))];
  const condition = conditions.length > 0 ? { ConditionExpression: conditions.join(' AND ') } : {};
  return { TableName, Key, ...condition, ...words.members() };
}

/** Returns what a SELECT shows of an item: the value at each path, under the last name of the path. */
export function projectItem(item: Item, paths: readonly PartiQlPath[] | undefined): Item {
  if (!paths) return item;
  const values = paths.flatMap((path) => {
    const value = findValue(item, path);
    return value ? [[String(path.at(-1)), value] as const] : [];
  });
  return Object.fromEntries(values);
}
