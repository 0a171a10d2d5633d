import { type AnyEvent, ContractViolation, type EventSchema, type ServiceContract } from '../messages/contract.js';
import type { PersonalKeys } from './personal-keys.js';
import { eventOf, type Place, SealBroken, type Sealed, Unsealed } from './sealed.js';

/** A field of an event that holds a person's data. */
interface PersonalField {
  readonly field: string;
  readonly person: string;
  readonly value: unknown;
}

/** The fields of an event that its contract marks as personal, as far as they are there. */
export function personalFields(contract: ServiceContract, { type, data }: AnyEvent): readonly PersonalField[] {
  const { personal } = schemaOf(contract, type);
  if (!personal) return [];
  const values = (data ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(personal).flatMap(([field, owner]) =>
    values[field] === undefined ? [] : [{ field, person: String(values[owner]), value: values[field] }],
  );
}

const schemaOf = ({ events }: ServiceContract, type: string): Partial<EventSchema> =>
  (Object.hasOwn(events, type) ? events[type] : undefined) ?? {};

/** An event with new values in some of its fields. */
const withFields = <Event extends AnyEvent>(event: Event, fields: Readonly<Record<string, unknown>>): Event => ({
  ...event,
  data: { ...(event.data as object), ...fields },
});

/**
 * Seals what is personal in an event, for its place and its person alone.
 * @throws {ContractViolation} a personal field holds anything but what was prepared for that person, or stands in plain text
 *   under the name by which it is shown
 */
export function sealEvent<Event extends AnyEvent>(
  contract: ServiceContract,
  event: Event,
  place: Omit<Place, 'field'>,
): Event {
  for (const name of Object.values(schemaOf(contract, event.type).shownAs ?? {})) {
    const { [name]: plain } = event.data as Readonly<Record<string, unknown>>;
    if (plain !== undefined) throw new ContractViolation('INVALID_DATA', `${event.type}: ${name} is in plain text`);
  }
  const fields = personalFields(contract, event).map(({ field, person, value }) => {
    if (!(value instanceof Unsealed) || value.person !== person) {
      throw new ContractViolation('INVALID_DATA', `${event.type}: ${field} is not to be sealed for its person`);
    }
    return [field, value.sealAt({ ...place, field })] as const;
  });
  return fields.length > 0 ? withFields(event, Object.fromEntries(fields)) : event;
}

/**
 * Whether what is sealed in an event was sealed for that event: a state that is folded from it takes its word.
 * @throws {SealBroken}
 */
export function checkSeals(contract: ServiceContract, event: AnyEvent, id: string): void {
  for (const { value } of personalFields(contract, event)) {
    if (eventOf(value as Sealed) !== id) throw new SealBroken(`${event.type}: a value of another event`);
  }
}

/**
 * Events of one aggregate with what is personal in them opened, or said to be forgotten. Each person's key is asked for once.
 * @param aggregate as in its key: `Order#3f…`
 * @throws what {@link PersonalKeys.openAll} throws
 */
export async function openEvents<Event extends AnyEvent & { readonly id: string }>(
  keys: PersonalKeys,
  contract: ServiceContract,
  aggregate: string,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const found = events.flatMap((event, at) =>
    personalFields(contract, event).map(({ field, person, value }) => ({
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

function withOpened<Event extends AnyEvent>(
  contract: ServiceContract,
  event: Event,
  field: string,
  opened: unknown,
): Event {
  const { [field]: _, ...data } = event.data as Readonly<Record<string, unknown>>;
  const { [field]: name = field } = schemaOf(contract, event.type).shownAs ?? {};
  return { ...event, data: { ...data, [name]: opened } };
}
