import type { AnyEvent, ServiceContract } from '../messages/contract.js';
import { findPersonalFields, findSchema } from '../messages/personal-fields.js';
import type { Sealed } from '../messages/sealed.js';
import type { PersonalKeys } from './personal-keys.js';

/**
 * Opens the personal fields in events of one aggregate, or marks them as forgotten. Each person's key is requested
 * once.
 * @param aggregate partition key of the aggregate, for example `Order#3f…`
 * @throws what {@link PersonalKeys.openAll} throws
 */
export async function openEvents<Event extends AnyEvent & { readonly id: string }>(
  keys: PersonalKeys,
  contract: ServiceContract,
  aggregate: string,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const found = events.flatMap((event, at) =>
    findPersonalFields(contract, event).map(({ field, person, value }) => ({
      at,
      person,
      sealed: value as Sealed,
      place: { aggregate, event: event.id, field },
    })),
  );
  const shown = [...events];
  for (const person of new Set(found.map((one) => one.person))) {
    const own = found.filter((one) => one.person === person);
    const opened = await keys.openAll(person, own);
    for (const [index, { at, place }] of own.entries()) {
      const event = shown[at];
      if (event) shown[at] = withOpened(contract, event, place.field, opened[index]);
    }
  }
  return shown;
}

/**
 * Opens the sealed fields of several aggregates of one person, or marks them as forgotten. The person's key is requested
 * once, and not at all if there are no fields.
 * @returns the data of each aggregate, by the names under which the contract shows them
 * @throws what {@link PersonalKeys.openAll} throws
 */
export async function openFields(
  keys: Pick<PersonalKeys, 'openAll'>,
  { events }: ServiceContract,
  person: string,
  aggregates: readonly {
    /** Partition key of the aggregate, for example `Order#3f…`. */
    readonly aggregate: string;
    /** Sealed values by the fields of their events. */
    readonly sealed: Readonly<Record<string, Sealed>>;
  }[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const shownAs: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(events).map((of) => of.shownAs));
  const values = aggregates.flatMap(({ aggregate, sealed }, at) =>
    Object.entries(sealed).map(([field, value]) => ({ at, sealed: value, place: { aggregate, field } })),
  );
  const data = await keys.openAll(person, values);
  const shown = aggregates.map((): Record<string, unknown> => ({}));
  for (const [index, { at, place }] of values.entries()) {
    Object.assign(shown[at] ?? {}, { [shownAs[place.field] ?? place.field]: data[index] });
  }
  return shown;
}

function withOpened<Event extends AnyEvent>(
  contract: ServiceContract,
  event: Event,
  field: string,
  opened: unknown,
): Event {
  const { [field]: _, ...data } = event.data as Readonly<Record<string, unknown>>;
  const { [field]: name = field } = findSchema(contract, event.type).shownAs ?? {};
  return { ...event, data: { ...data, [name]: opened } };
}
