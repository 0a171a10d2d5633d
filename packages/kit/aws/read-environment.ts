import { Env } from './environment.js';

/** A function that was deployed without one of its settings. Seen at its first start, not at its first order. */
export class SettingMissing extends Error {
  override readonly name = 'SettingMissing';
}

/** @throws {SettingMissing} where the construct did not set it */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new SettingMissing(`environment variable ${name} is not set`);
  return value;
}

/** @throws {SettingMissing} where it is not set, or not a whole number from 0 */
export function requiredInteger(name: string): number {
  const value = Number(required(name));
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new SettingMissing(`environment variable ${name}: expected a whole number from 0`);
  }
  return value;
}

/** @throws {SettingMissing} where it is not set, or not a list of texts as JSON */
export function requiredList(name: string): readonly string[] {
  const list: unknown = JSON.parse(required(name));
  if (!Array.isArray(list) || !list.every((value) => typeof value === 'string')) {
    throw new SettingMissing(`environment variable ${name}: expected a list of texts, as JSON`);
  }
  return list;
}

/**
 * How many shards the feed index has, and since when.
 * @throws {SettingMissing} where it is not set, or no list of `{ from, shards }`
 */
export function feedShards(): readonly { readonly from: string; readonly shards: number }[] {
  const list: unknown = JSON.parse(required(Env.FEED_SHARDS));
  if (!Array.isArray(list) || !list.every(({ from, shards }) => typeof from === 'string' && shards >= 1)) {
    throw new SettingMissing(
      `environment variable ${Env.FEED_SHARDS}: expected [{ "from": "<ISO time>", "shards": 8 }]`,
    );
  }
  return list;
}
