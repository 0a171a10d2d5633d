import { type AnyEvent, ContractViolation, type ServiceContract } from '../contract.js';
import type { PersonalKeys } from './personal-keys.js';
import { eventOf, type Place, SealBroken, type Sealed, Unsealed } from './sealed.js';

/** A field of an event that holds a person's data. */
export interface PersonalField {
  readonly field: string;
  readonly person: string;
  readonly value: unknown;
}

/** The fields of an event that its contract marks as personal, as far as they are there. */
export function personalFields({ events }: ServiceContract, { type, data }: AnyEvent): readonly PersonalField[] {
  const { personal } = (Object.hasOwn(events, type) ? events[type] : undefined) ?? {};
  if (!personal) return [];
  const values = (data ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(personal).flatMap(([field, owner]) =>
    values[field] === undefined ? [] : [{ field, person: String(values[owner]), value: values[field] }],
  );
}

/** An event with new values in some of its fields. */
const withFields = <Event extends AnyEvent>(event: Event, fields: Readonly<Record<string, unknown>>): Event => ({
  ...event,
  data: { ...(event.data as object), ...fields },
});

/**
 * Seals what is personal in an event, for its place and its person alone.
 * @throws {ContractViolation} a personal field holds anything but what was prepared for that person
 */
export function sealEvent<Event extends AnyEvent>(
  contract: ServiceContract,
  event: Event,
  place: Omit<Place, 'field'>,
): Event {
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
 * An event with what is personal in it opened, or said to be forgotten.
 * @param aggregate as in its key: `Order#3f…`
 * @throws what {@link PersonalKeys.open} throws
 */
export async function openEvent<Event extends AnyEvent & { readonly id: string }>(
  keys: PersonalKeys,
  contract: ServiceContract,
  aggregate: string,
  event: Event,
): Promise<Event> {
  const fields = await Promise.all(
    personalFields(contract, event).map(async ({ field, person, value }) => {
      const opened = await keys.open(person, value as Sealed, { aggregate, event: event.id, field });
      return [field, opened] as const;
    }),
  );
  return fields.length > 0 ? withFields(event, Object.fromEntries(fields)) : event;
}
