import { randomUUID } from 'node:crypto';
import type { Cloud } from '../cloud/cloud.js';

/** Messages that are sent again at once, at most: the newest. */
const MOST = 1_000;

/**
 * Delivers an event again, to every subscriber.
 * @param id of the event on the bus, or the `id` in its detail; of the latter its end is enough, from eight characters on
 * @returns its type. @throws {Error} if no bus has taken it lately, or if it is the end of several ids
 */
export function redeliver({ events }: Cloud, id: string): string {
  const named = events.accepted.filter(({ event }) => event.id === id || idIn(event.detail) === id);
  const ending = events.accepted.filter(({ event }) => id.length >= 8 && String(idIn(event.detail)).endsWith(id));
  const meant = named.length > 0 ? named : ending;
  const found = meant.at(-1);
  if (new Set(meant.map(({ event }) => idIn(event.detail))).size > 1)
    throw new Error(`several events or commands have ids that end with ${id}: name one of them in full`);
  if (!found) throw new Error(`no bus has taken an event or command ${id} since this cloud began`);
  const { source, 'detail-type': detailType, detail } = found.event;
  events.put(found.bus, { source, detailType, detail });
  return detailType;
}

/**
 * Delivers the newest events again, each once, however often it was sent before.
 * @returns how many. @throws {Error} if no bus has taken any
 */
export function redeliverAll({ events }: Cloud): number {
  const byId = new Map(
    events.accepted.filter(({ event }) => idIn(event.detail) !== undefined).map((one) => [idIn(one.event.detail), one]),
  );
  const newest = [...byId.values()].slice(-MOST);
  if (newest.length === 0) throw new Error('no bus has taken an event or command since this cloud began');
  for (const { bus, event } of newest) {
    const { source, 'detail-type': detailType, detail } = event;
    events.put(bus, { source, detailType, detail });
  }
  return newest.length;
}

/**
 * Puts a copy of the newest event on its bus, with an id of its own and without its data: no consumer can read it.
 * @returns its type and its id. @throws {Error} if no bus has taken an event with data
 */
export function poison({ events }: Cloud): { readonly type: string; readonly id: string } {
  const found = events.accepted.findLast(({ event: { detail } }) => isObject(detail) && isObject(detail.data));
  if (!found) throw new Error('no bus has taken an event with data since this cloud began: there is nothing to spoil');
  const { source, 'detail-type': detailType, detail } = found.event;
  const id = randomUUID();
  events.put(found.bus, { source, detailType, detail: { ...(detail as object), id, data: {} } });
  return { type: detailType, id };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const idIn = (detail: unknown): unknown => (detail as { id?: unknown } | null)?.id;
