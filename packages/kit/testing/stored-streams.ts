import type { Item } from '../aws/items.js';
import type { Evolution } from '../decider/decider.js';
import type { Aggregate } from '../event-store/event-store.js';
import { Commit } from '../messages/commit.js';
import { type AnyEvent, type EventOf, readEvent, type ServiceContract } from '../messages/contract.js';
import { aggregateKeyPrefix, COMMIT_PREFIX } from '../messages/keys.js';

/**
 * Returns the events of all aggregates of a type, oldest first, by the aggregate's id: as functions read them, in the newest
 * version of their contract. Sealed personal fields stay sealed.
 * @param items all items of the service's table
 * @example
 * const streams = readEvents(cloud.listItems('Travel/Outbox/Table'), trips);
 * @throws {ContractViolation} if a stored event breaks its contract
 */
export function readEvents<C extends ServiceContract>(
  items: readonly Item[],
  { aggregate, contract }: { readonly aggregate: string; readonly contract: C },
): ReadonlyMap<string, readonly EventOf<C>[]> {
  const prefix = aggregateKeyPrefix(aggregate);
  const commits = items
    .filter(({ pk, sk }) => String(pk).startsWith(prefix) && String(sk).startsWith(COMMIT_PREFIX))
    .map((item) => Commit.parse(item))
    // A sort key is the version of the commit's first event, with leading zeros.
    .toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  const streams = new Map<string, EventOf<C>[]>();
  for (const { pk, events } of commits) {
    const id = pk.slice(prefix.length);
    const stream = streams.get(id) ?? [];
    for (const { type, schemaVersion, data } of events)
      stream.push(readEvent(contract, type, schemaVersion, JSON.parse(data)));
    streams.set(id, stream);
  }
  return streams;
}

/**
 * Returns the states of all aggregates of a type, by the aggregate's id: one after each event, so the last one is the present
 * state.
 * @param items all items of the service's table
 * @example
 * const overbooked = [...readStates(cloud.listItems('Rooms/Outbox/Table'), nights).values()].filter((states) =>
 *   states.some(({ rooms }) => rooms < 0),
 * );
 * @throws {ContractViolation} if a stored event breaks its contract
 */
export function readStates<State, Event extends AnyEvent>(
  items: readonly Item[],
  { decider, ...aggregate }: Aggregate<Evolution<State, Event>>,
): ReadonlyMap<string, readonly State[]> {
  const streams = [...readEvents(items, aggregate)].map(([id, events]) => {
    let state = decider.initialState;
    return [id, events.map((event) => (state = decider.evolve(state, event as unknown as Event)))] as const;
  });
  return new Map(streams);
}
