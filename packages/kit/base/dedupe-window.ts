import { Duration } from 'aws-cdk-lib';
import type { DedupeWindow } from '../aws/dedupe-window.js';
import { type DedupeWindowEntry, type DedupeWindowSetting, SettingsError } from './settings.js';

/** An entry that is deployed, as an app keeps it in a file: `{ "from": "2026-12-01", "days": 60 }`. */
export interface DeployedWindow {
  readonly from: string;
  readonly days: number;
}

/** Time between synth and the end of the deployment, at most. The age gate allows a day more. */
const DEPLOYMENT = Duration.hours(1);
const UTC = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/** Whether a text is a date, or a time in UTC: `2026-12-01`, `2026-12-01T08:00:00Z`. */
export const isUtc = (text: string): boolean => UTC.test(text) && !Number.isNaN(Date.parse(text));

/** Returns the entries of a setting. A plain duration has always been in force. */
export const toEntries = (setting: DedupeWindowSetting): readonly DedupeWindowEntry[] =>
  setting instanceof Duration ? [{ from: '1970-01-01', window: setting }] : setting;

/**
 * Returns the window for the run time.
 * @throws {SettingsError} for a list that is empty, unsorted or malformed, or whose last entry is shorter and in the future
 */
export function toWindowSeconds(setting: DedupeWindowSetting): DedupeWindow {
  if (setting instanceof Duration) return setting.toSeconds();
  if (setting.length === 0) throw new SettingsError('dedupeWindow: expected at least one entry');
  const malformed = setting.filter(({ from }) => !isUtc(from));
  if (malformed.length > 0) {
    const all = malformed.map(({ from }) => `'${from}'`).join(', ');
    throw new SettingsError(
      `dedupeWindow: expected dates or times in UTC, as 2026-12-01 or 2026-12-01T08:00:00Z: ${all}`,
    );
  }
  for (const [{ from }, next] of consecutivePairs(setting)) {
    if (Date.parse(next.from) > Date.parse(from)) continue;
    throw new SettingsError(
      `dedupeWindow: the entry from ${next.from} follows the one from ${from}: expected a later time`,
    );
  }
  for (const [{ window }, next] of consecutivePairs(setting)) {
    if (next.window.toSeconds() >= window.toSeconds() || Date.parse(next.from) <= Date.now()) continue;
    throw new SettingsError(
      `dedupeWindow: the entry from ${next.from} shortens the window in the future: expected a time that has passed. Records of the longer window stay, so a shorter one needs no notice`,
    );
  }
  return setting.map(({ from, window }) => ({ from: new Date(from).toISOString(), seconds: window.toSeconds() }));
}

/** Returns the value of the functions' environment variable. @throws {SettingsError} */
export const windowVariable = (setting: DedupeWindowSetting): string => JSON.stringify(toWindowSeconds(setting));

/**
 * Checks that a setting only adds to the windows that are deployed. Synth can't see what is deployed, so an app keeps those
 * windows in a file, and adds an entry once it is deployed.
 * @param deployed entries that are deployed, or the one plain window as `{ from: '1970-01-01', days: 35 }`
 * @throws {SettingsError} if a deployed entry was changed or removed, or if a longer window would begin before its deployment
 */
export function checkDeployedWindow(setting: DedupeWindowSetting, deployed: readonly DeployedWindow[]): void {
  toWindowSeconds(setting);
  const entries = toEntries(setting);
  for (const [at, { from, days }] of deployed.entries()) {
    const entry = entries[at];
    const isKept = entry?.window.toSeconds() === days * 86_400 && (at === 0 || sameTime(entry.from, from));
    if (isKept) continue;
    throw new SettingsError(
      `dedupeWindow: the entry of ${days} days from ${from} is deployed, and its records keep it: expected it unchanged as entry ${at + 1}, and another window in a new entry at the end`,
    );
  }
  const earliest = Date.now() + DEPLOYMENT.toMilliseconds();
  for (const [{ window }, next] of consecutivePairs(entries).slice(Math.max(0, deployed.length - 1))) {
    if (next.window.toSeconds() <= window.toSeconds() || Date.parse(next.from) > earliest) continue;
    const days = next.window.toDays({ integral: false });
    throw new SettingsError(
      `dedupeWindow: the longer window from ${next.from} is not among those that are deployed: expected a time at least an hour from now, after its deployment. If it is deployed, keep it: { "from": "${next.from}", "days": ${days} }`,
    );
  }
}

const sameTime = (one: string, other: string): boolean => Date.parse(one) === Date.parse(other);

/** Returns each entry with its successor. */
const consecutivePairs = (
  entries: readonly DedupeWindowEntry[],
): readonly (readonly [DedupeWindowEntry, DedupeWindowEntry])[] =>
  entries.slice(1).flatMap((next, at) => {
    const entry = entries[at];
    return entry ? [[entry, next] as const] : [];
  });
