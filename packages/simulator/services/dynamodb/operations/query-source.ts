/** The source that a Query or a Scan reads, and which options it allows. AWS, "API Reference: Query, Scan". */
import { validation } from '../errors.js';
import { listAttributes } from '../expressions/condition.js';
import type { KeyCondition } from '../expressions/key-condition.js';
import type { Placeholders } from '../expressions/placeholders.js';
import type { Projection } from '../expressions/projection.js';
import type { Order } from '../item-store.js';
import { refuseEmptyKey } from '../keys.js';
import type { SecondaryIndex } from '../secondary-index.js';
import type { Table } from '../table.js';
import { attributeNames, type KeySchema } from '../table-definition.js';
import { equalValues, invalid, normalizeItem, typeOf } from '../values.js';
import type { AttributeValue, Item, WireObject } from '../wire.js';
import type { Call } from './context.js';
import { textMember } from './request.js';

export interface QuerySource {
  readonly table: Table;
  readonly index?: SecondaryIndex;
  /** Key of the index, if an index is read. */
  readonly key: KeySchema;
  readonly consistent: boolean;
  readonly order: Order;
}

/** @throws {DynamoDbError} ValidationException if there is no such index, or a consistent read of it is requested */
export function readSource(call: Call, input: WireObject): QuerySource {
  const table = call.table(input.TableName);
  const consistent = input.ConsistentRead === true;
  const name = textMember(input, 'IndexName');
  if (name === undefined) return { table, key: table.definition.key, consistent, order: table.order };
  const index = table.indexes.get(name);
  if (!index) throw validation(`The table does not have the specified index: ${name}`);
  if (consistent && !index.definition.local)
    throw validation('Consistent reads are not supported on global secondary indexes');
  return { table, index, key: index.definition.key, consistent, order: index.order };
}

/** Returns the position after which a page begins; there may be no item at that position any more. */
export function readStartKey(input: WireObject, source: QuerySource, wanted?: KeyCondition): Item | undefined {
  if (input.ExclusiveStartKey === undefined) return undefined;
  const start = normalizeItem(input.ExclusiveStartKey);
  const { definition } = source.table;
  const names = new Set([...attributeNames(definition.key), ...attributeNames(source.key)]);
  const fits = (name: string): boolean => {
    const value = start[name];
    return value !== undefined && typeOf(value) === definition.types.get(name);
  };
  if (Object.keys(start).length !== names.size || ![...names].every(fits)) {
    throw validation('The provided starting key is invalid');
  }
  for (const name of names) {
    const index = attributeNames(definition.key).includes(name) ? undefined : source.index?.definition.name;
    refuseEmptyKey(start[name] as AttributeValue, name, index);
  }
  if (!wanted) return start;
  const { partition, sort } = source.key;
  const inside =
    equalValues(start[partition] as AttributeValue, wanted.partition) &&
    (sort === undefined || wanted.position(start[sort] as AttributeValue) === 0);
  if (inside) return start;
  throw validation('The provided starting key is outside query boundaries based on provided conditions');
}

export interface ShownPart {
  /** Absent if only the count is requested. */
  readonly shape?: (item: Item) => Item;
  /** The request wants attributes that a local index lacks: each item is read from its table, too. */
  readonly fetches: boolean;
}

/**
 * Returns what a request shows of each item. AWS, "Local secondary indexes" (attribute projections): attributes that
 * the index lacks are fetched from the table. A global index can't show what it lacks.
 */
export function selectShownPart(
  input: WireObject,
  { index }: QuerySource,
  projection: Projection | undefined,
): ShownPart {
  const { Select: select } = input;
  if (projection && select && select !== 'SPECIFIC_ATTRIBUTES') {
    const what = select === 'COUNT' ? 'only the Count' : select;
    throw validation(`Cannot specify the ProjectionExpression when choosing to get ${what}`);
  }
  if (select === 'SPECIFIC_ATTRIBUTES' && !projection) {
    throw validation(
      'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
    );
  }
  if (select === 'ALL_PROJECTED_ATTRIBUTES' && !index) {
    throw validation('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName');
  }
  const projected = index?.definition.projected ?? 'ALL';
  let fetches = false;
  if (index && projected !== 'ALL') {
    const { name, local } = index.definition;
    const missing = (projection?.paths ?? []).map(([top]) => String(top)).filter((top) => !projected.has(top));
    fetches = local && (select === 'ALL_ATTRIBUTES' || missing.length > 0);
    if (!local && select === 'ALL_ATTRIBUTES') {
      throw invalid(
        `Select type ALL_ATTRIBUTES is not supported for global secondary index ${name} because its projection type is not ALL`,
      );
    }
    if (!local && missing.length > 0)
      throw invalid(`Global secondary index ${name} does not project [${missing.join(', ')}]`);
  }
  if (select === 'COUNT') return { fetches };
  return { shape: projection ? projection.of : (item) => item, fetches };
}

/**
 * Refuses a filter on unavailable attributes: a Query's can't use its keys, and an index's can't use attributes that
 * the index lacks. A Scan of a local index can; DynamoDB Local does so, and AWS documents nothing else.
 * @returns whether it needs attributes that the index lacks
 */
export function checkFilter(
  text: string,
  placeholders: Placeholders,
  { index, key }: QuerySource,
  isQuery: boolean,
): boolean {
  let lacks = false;
  for (const name of listAttributes(text, placeholders)) {
    if (isQuery && attributeNames(key).includes(name)) {
      throw validation(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`);
    }
    const projected = index?.definition.projected ?? 'ALL';
    if (index && projected !== 'ALL' && !projected.has(name)) {
      lacks = true;
      if (index.definition.local && !isQuery) continue;
      throw invalid(
        `Secondary index ${index.definition.name} does not project one or more filter attributes: [${name}]`,
      );
    }
  }
  return lacks;
}
