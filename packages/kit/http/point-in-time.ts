import * as z from 'zod/mini';
import { Env } from '../aws/environment.js';
import { requireListEnv } from '../aws/read-environment.js';
import type { EventStore, HistoryEntry, Loaded } from '../event-store/event-store.js';
import type { AnyEvent } from '../messages/contract.js';
import { COMMAND_LINE_ROLE } from '../messages/trace.js';
import type { Caller } from './caller.js';
import type { HistoryQuery, PointInTimeQuery } from './history-queries.js';
import { decodeCursor, encodeCursor, parseLimit } from './paging.js';

/**
 * Loads an aggregate as it is now, or at an earlier time or version.
 * @returns `undefined` before the first version and after the last one
 */
export function loadAsOf<State, Event extends AnyEvent>(
  store: EventStore<State, Event>,
  id: string,
  { at, version }: z.infer<typeof PointInTimeQuery>,
): Promise<Loaded<State> | undefined> {
  if (at !== undefined) return store.loadAt(id, toCommitTime(at));
  return version === undefined ? store.load(id) : store.loadVersion(id, Number(version));
}

/**
 * Converts a time to the form that commits have, because times are compared as text. A time zone offset may lead past
 * the last year that this form can express.
 */
function toCommitTime(time: string): string {
  const text = new Date(time).toISOString();
  return text.startsWith('+') ? '9999-12-31T23:59:59.999Z' : text;
}

/** Position in a cursor. Anybody can forge a cursor, so one beyond the highest possible version is refused too. */
const Position = z.strictObject({
  commit: z.int().check(z.gte(1), z.lte(9_999_999_999)),
  shown: z.int().check(z.gte(0)),
});

/** Hides from everybody but operators which operator acted: they only see that one did. */
function redactActors({ role }: Caller, entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const operatorRoles = requireListEnv(Env.OPERATOR_ROLES);
  if (operatorRoles.includes(role)) return entries;
  const hidden = [...operatorRoles, COMMAND_LINE_ROLE];
  const shown = (actor: string): string => hidden.find((of) => actor.startsWith(`${of}:`)) ?? actor;
  return entries.map((entry) => ({
    ...entry,
    actor: shown(entry.actor),
    ...(entry.onBehalfOf === undefined ? {} : { onBehalfOf: shown(entry.onBehalfOf) }),
  }));
}

/**
 * Returns one page of the events of an aggregate, oldest first.
 * @param list name of the history in its cursors, for example `history of <id>`
 * @param reader caller who reads. Operators see the name of whoever acted; customers do not see the names of operators.
 * @throws {Problem} 400 if the cursor belongs to another list
 */
export async function readHistoryPage<State, Event extends AnyEvent>(
  store: EventStore<State, Event>,
  id: string,
  list: string,
  query: z.infer<typeof HistoryQuery>,
  reader: Caller,
): Promise<{ readonly items: readonly HistoryEntry[]; readonly nextCursor?: string }> {
  const from = decodeCursor(list, query.cursor, Position) ?? { commit: 1, shown: 0 };
  const { items, next } = await store.history(id, from, parseLimit(query));
  return { items: redactActors(reader, items), ...(next ? { nextCursor: encodeCursor(list, next) } : {}) };
}
