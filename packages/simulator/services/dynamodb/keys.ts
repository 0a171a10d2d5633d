/**
 * AWS's requirements for key attributes. AWS, "Naming rules and data types"; "Quotas in Amazon DynamoDB" (partition
 * keys and sort keys); "API Reference: PutItem, GetItem".
 */
import { type DynamoDbError, itemRefused } from './errors.js';
import { MAX_ITEM_BYTES, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, valueBytes } from './size.js';
import { attributeNames, type KeySchema, type TableDefinition } from './table-definition.js';
import { keyText, normalizeItem, typeOf } from './values.js';
import type { AttributeValue, Item } from './wire.js';

const invalid = (what: string): DynamoDbError => itemRefused(`One or more parameter values were invalid: ${what}`);

/** Returns the key attributes of an item. */
export function keyOf(item: Item, key: KeySchema): Item {
  const partition = { [key.partition]: item[key.partition] as AttributeValue };
  return key.sort === undefined ? partition : { ...partition, [key.sort]: item[key.sort] as AttributeValue };
}

/** Returns a text that is unique per item of a table. */
export function idOf(item: Item, { partition, sort }: KeySchema): string {
  const text = keyText(item[partition] as AttributeValue);
  return sort === undefined ? text : `${text.length}:${text}${keyText(item[sort] as AttributeValue)}`;
}

/** Reads a request's `Key`. @throws {DynamoDbError} ValidationException if it isn't exactly the table's key */
export function readKey(given: unknown, table: TableDefinition): Item {
  const key = normalizeItem(given ?? {});
  const names = attributeNames(table.key);
  const fits = Object.keys(key).length === names.length && names.every((name) => typeFits(key[name], name, table));
  if (!fits) throw itemRefused('The provided key element does not match the schema');
  checkKeyValues(key, table);
  return key;
}

/** Checks an item before a put. @throws {DynamoDbError} ValidationException if its keys or its size are invalid */
export function checkItem(item: Item, table: TableDefinition, bytes: number): void {
  if (Object.hasOwn(item, '')) throw invalid('Empty attribute name');
  for (const name of attributeNames(table.key)) {
    const value = item[name];
    if (value === undefined) throw invalid(`Missing the key ${name} in the item`);
    if (!typeFits(value, name, table)) {
      throw invalid(`Type mismatch for key ${name} expected: ${table.types.get(name)} actual: ${typeOf(value)}`);
    }
  }
  checkKeyValues(item, table);
  checkIndexKeys(item, table);
  if (bytes > MAX_ITEM_BYTES) throw itemRefused('Item size has exceeded the maximum allowed size');
}

/**
 * Checks an item's index keys: it may lack one (then it isn't in the index), but not have one of another type or an
 * empty one.
 */
export function checkIndexKeys(item: Item, table: TableDefinition): void {
  for (const { name: index, key } of table.indexes.values()) {
    for (const name of attributeNames(key)) {
      const value = item[name];
      if (value === undefined) continue;
      if (!typeFits(value, name, table)) {
        const types = `Expected: ${table.types.get(name)} Actual: ${typeOf(value)}`;
        throw invalid(`Type mismatch for Index Key ${name} ${types} IndexName: ${index}`);
      }
      refuseEmptyKey(value, name, index);
      if (valueBytes(value) > limitOf(name, key)) {
        throw invalid(`Size of index key has exceeded the limit. IndexName: ${index}, IndexKey: ${name}`);
      }
    }
  }
}

/** Checks that keys are not empty and have at most 2,048 bytes (partition key) or 1,024 (sort key). */
function checkKeyValues(item: Item, { key }: TableDefinition): void {
  for (const name of attributeNames(key)) {
    const value = item[name] as AttributeValue;
    refuseEmptyKey(value, name);
    refuseLongKey(value, name, key);
  }
}

/** Checks the operand of a key condition: DynamoDB requires the same of it as of the key itself. */
export function checkComparedKey(value: AttributeValue, name: string, key: KeySchema, index?: string): void {
  refuseEmptyKey(value, name, index);
  refuseLongKey(value, name, key);
}

/** @param index set if the attribute is the key of a secondary index */
export function refuseEmptyKey(value: AttributeValue, name: string, index?: string): void {
  if (valueBytes(value) > 0) return;
  const empty = `The AttributeValue for a key attribute cannot contain an empty ${'B' in value ? 'binary' : 'string'} value.`;
  throw itemRefused(
    index === undefined
      ? `One or more parameter values are not valid. ${empty} Key: ${name}`
      : `One or more parameter values are not valid. A value specified for a secondary index key is not supported. ${empty} IndexName: ${index}, IndexKey: ${name}`,
  );
}

function refuseLongKey(value: AttributeValue, name: string, key: KeySchema): void {
  if (valueBytes(value) <= limitOf(name, key)) return;
  throw invalid(
    name === key.partition
      ? `Size of hashkey has exceeded the maximum size limit of${MAX_PARTITION_KEY_BYTES} bytes`
      : `Aggregated size of all range keys has exceeded the size limit of ${MAX_SORT_KEY_BYTES} bytes`,
  );
}

const limitOf = (name: string, { partition }: KeySchema): number =>
  name === partition ? MAX_PARTITION_KEY_BYTES : MAX_SORT_KEY_BYTES;

/** Checks that a value exists and has the type of the key attribute. */
export const typeFits = (value: AttributeValue | undefined, name: string, { types }: TableDefinition): boolean =>
  value !== undefined && typeOf(value) === types.get(name);
