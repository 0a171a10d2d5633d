import type { AttributeValue, Item } from '../services/dynamodb/wire.js';

/**
 * Converts a stored item to JSON: sets are lists, binary values Base64. A number with more digits than JavaScript keeps is its text, so
 * that what is shown is what is stored.
 */
export const plainJson = (item: Item): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, jsonOf(value)]));

function jsonOf(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return numberOf(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('M' in value) return plainJson(value.M);
  if ('L' in value) return value.L.map(jsonOf);
  if ('B' in value) return value.B;
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS.map(numberOf);
  return value.BS;
}

const numberOf = (text: string): number | string => (String(Number(text)) === text ? Number(text) : text);
