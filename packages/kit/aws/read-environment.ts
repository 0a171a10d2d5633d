import type { DedupeWindow } from './dedupe-window.js';
import { Env } from './environment.js';

/**
 * Error for a function that was deployed without one of its settings. It appears when the function starts, not at its
 * first request.
 */
export class SettingMissing extends Error {
  override readonly name = 'SettingMissing';
}

const malformed = (name: string, expected: string): SettingMissing =>
  new SettingMissing(`environment variable ${name}: expected ${expected}`);

/**
 * Reads an environment variable.
 * @throws {SettingMissing} if the construct did not set it
 */
export function requireEnv(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new SettingMissing(
      `environment variable ${name} is not set: set it in the construct that creates this function`,
    );
  return value;
}

/**
 * Reads an environment variable as a whole number.
 * @throws {SettingMissing} if it is not set, or is not a whole number from 0
 */
export function requireIntegerEnv(name: string): number {
  const value = Number(requireEnv(name));
  if (!Number.isSafeInteger(value) || value < 0) {
    throw malformed(name, 'a whole number from 0');
  }
  return value;
}

/**
 * Reads an environment variable as a JSON list of texts.
 * @throws {SettingMissing} if it is not set, or is not a list of texts
 */
export function requireListEnv(name: string): readonly string[] {
  const list: unknown = JSON.parse(requireEnv(name));
  if (!Array.isArray(list) || !list.every((value) => typeof value === 'string')) {
    throw malformed(name, 'a list of texts, as JSON');
  }
  return list;
}

/**
 * Reads the origins whose pages may read the answers of the API; none if the construct doesn't say any.
 * @throws {SettingMissing} if it is not a list of texts
 */
export const readCorsOrigins = (): readonly string[] =>
  process.env[Env.CORS_ORIGINS] === undefined ? [] : requireListEnv(Env.CORS_ORIGINS);

/**
 * Reads the deduplication window.
 * @throws {SettingMissing} if it is not set, or is neither a number of seconds nor a list of `{ from, seconds }`
 */
export function readDedupeWindow(): DedupeWindow {
  const window: unknown = JSON.parse(requireEnv(Env.DEDUPE_WINDOW_SECONDS));
  if (isSeconds(window)) return window;
  if (
    Array.isArray(window) &&
    window.length > 0 &&
    window.every(({ from, seconds }) => !Number.isNaN(Date.parse(from)) && isSeconds(seconds))
  ) {
    return window;
  }
  throw malformed(Env.DEDUPE_WINDOW_SECONDS, 'seconds, or [{ "from": "<ISO time>", "seconds": 3024000 }]');
}

const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/**
 * Reads since when a consumer and its generation are deployed; `undefined` if its construct doesn't say it.
 * @throws {SettingMissing} if it is no time
 */
export function readConsumerSince(): string | undefined {
  const since = process.env[Env.CONSUMER_SINCE];
  if (since === undefined || !Number.isNaN(Date.parse(since))) return since;
  throw malformed(Env.CONSUMER_SINCE, 'a time in ISO 8601');
}

/**
 * Reads how often the function's service was restored from a backup. Lambda changes the code and the variables of a function one
 * after the other, and in 0.3.0 only relays have the variable: a function that has none yet counts as never restored.
 * @throws {SettingMissing} if it is not a whole number from 0
 */
export const readEpoch = (): number => (process.env[Env.EPOCH] === undefined ? 0 : requireIntegerEnv(Env.EPOCH));

/**
 * Reads how many shards the feed index has, and since when.
 * @throws {SettingMissing} if the setting is missing, or is not a list of `{ from, shards }`
 */
export function readFeedShards(): readonly { readonly from: string; readonly shards: number }[] {
  const list: unknown = JSON.parse(requireEnv(Env.FEED_SHARDS));
  if (!Array.isArray(list) || !list.every(({ from, shards }) => typeof from === 'string' && shards >= 1)) {
    throw malformed(Env.FEED_SHARDS, '[{ "from": "<ISO time>", "shards": 8 }]');
  }
  return list;
}
