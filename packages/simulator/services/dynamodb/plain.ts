import type { AttributeValue, Item } from './wire.js';

/** Converts a stored item to a plain object, as the SDK's document client does. */
export const toPlainItem = (item: Item): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainValue(value)]));

function plainValue(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('M' in value) return toPlainItem(value.M);
  if ('L' in value) return value.L.map(plainValue);
  if ('B' in value) return bytes(value.B);
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(Number));
  return new Set(value.BS.map(bytes));
}

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
