/**
 * Sizes and units. AWS, "DynamoDB item sizes and formats"; "DynamoDB read and write operations" (capacity unit
 * consumption); "Quotas in Amazon DynamoDB".
 */
import { numberBytes } from './decimal.js';
import type { AttributeValue, Item } from './wire.js';

export const MAX_ITEM_BYTES = 400 * 1024;
export const MAX_PAGE_BYTES = 1024 * 1024;
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;
export const MAX_BATCH_READ_BYTES = 16 * 1024 * 1024;
export const MAX_PARTITION_KEY_BYTES = 2048;
export const MAX_SORT_KEY_BYTES = 1024;

const WRITE_UNIT = 1024;
const READ_UNIT = 4 * 1024;

/** Returns the size of the names and values of all attributes. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += textBytes(name) + valueBytes(item[name] as AttributeValue);
  return bytes;
}

export function valueBytes(value: AttributeValue): number {
  if ('S' in value) return textBytes(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('B' in value) return base64Bytes(value.B);
  if ('SS' in value) return sumBytes(value.SS, textBytes);
  if ('NS' in value) return sumBytes(value.NS, numberBytes);
  if ('BS' in value) return sumBytes(value.BS, base64Bytes);
  if ('L' in value) return 3 + sumBytes(value.L, (member) => 1 + valueBytes(member));
  if ('M' in value) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  return 1; // BOOL, NULL
}

const sumBytes = <T>(members: readonly T[], bytes: (member: T) => number): number =>
  members.reduce((sum, member) => sum + bytes(member), 0);

const textBytes = (text: string): number => Buffer.byteLength(text, 'utf8');
const base64Bytes = (base64: string): number => Buffer.byteLength(base64, 'base64');

/** A missing item costs as much as the smallest one. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / WRITE_UNIT));
export const readUnits = (bytes: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / READ_UNIT)) * (consistent ? 1 : 0.5);

/**
 * Units of the item before or after, whichever is larger; a check and a refused write cost the units of the item that
 * they found.
 */
export const unitsOf = (before: Item | undefined, after: Item | undefined): number =>
  writeUnits(Math.max(before ? itemBytes(before) : 0, after && after !== before ? itemBytes(after) : 0));
