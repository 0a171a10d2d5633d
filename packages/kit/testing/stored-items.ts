import type { Item } from '../aws/items.js';

/** Counts the events of all commits of a service's table, by type. @param items all items of the table */
export function countEvents(items: readonly Item[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { events } of items) {
    if (!Array.isArray(events)) continue;
    for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/**
 * Returns when the earliest stored message, timer or window is due, milliseconds since 1970; `undefined` if none waits.
 * @param items of the records tables of services
 */
export function findNextDue(items: readonly Item[]): number | undefined {
  const due = items.flatMap(({ duePk, executeAt }) => (duePk === undefined ? [] : [Date.parse(String(executeAt))]));
  return due.length > 0 ? Math.min(...due) : undefined;
}

/** Returns the failure records that wait for an operator. @param items all items of the service's records table */
export const findFailures = (items: readonly Item[]): readonly Item[] =>
  items.filter(({ status }) => status === 'FAILED');
