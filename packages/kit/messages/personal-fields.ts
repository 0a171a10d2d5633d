import { SafeText } from '../aws/safe-error.js';
import { type AnyEvent, ContractViolation, type EventSchema, type ServiceContract } from './contract.js';
import { type Place, SealBroken, type Sealed, sealedEventId, Unsealed } from './sealed.js';

/** A field of an event that contains personal data. */
interface PersonalField {
  readonly field: string;
  readonly person: string;
  readonly value: unknown;
}

/** Returns the fields of an event that its contract marks as personal. Absent fields are left out. */
export function findPersonalFields(contract: ServiceContract, { type, data }: AnyEvent): readonly PersonalField[] {
  const { personal } = findSchema(contract, type);
  if (!personal) return [];
  const values = (data ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(personal).flatMap(([field, owner]) =>
    values[field] === undefined ? [] : [{ field, person: String(values[owner]), value: values[field] }],
  );
}

/** Returns the schema of an event, or nothing of it where the contract does not know its type. */
export const findSchema = ({ events }: ServiceContract, type: string): Partial<EventSchema> =>
  (Object.hasOwn(events, type) ? events[type] : undefined) ?? {};

/** Returns a copy of an event with new values in some of its fields. */
const withFields = <Event extends AnyEvent>(event: Event, fields: Readonly<Record<string, unknown>>): Event => ({
  ...event,
  data: { ...(event.data as object), ...fields },
});

/**
 * Seals the personal fields of an event. A sealed value opens only in this place and for this person.
 * @throws {ContractViolation} if a personal field holds anything but a value that was prepared for its person, or if
 *   the event has plain text under the name by which a sealed field is shown
 */
export function sealEvent<Event extends AnyEvent>(
  contract: ServiceContract,
  event: Event,
  place: Omit<Place, 'field'>,
): Event {
  for (const name of Object.values(findSchema(contract, event.type).shownAs ?? {})) {
    const { [name]: plain } = event.data as Readonly<Record<string, unknown>>;
    if (plain !== undefined) throw new ContractViolation('INVALID_DATA', `${event.type}: ${name} is in plain text`);
  }
  const fields = findPersonalFields(contract, event).map(({ field, person, value }) => {
    if (!(value instanceof Unsealed) || value.person !== person) {
      throw new ContractViolation('INVALID_DATA', `${event.type}: ${field} is not to be sealed for its person`);
    }
    return [field, value.sealAt({ ...place, field })] as const;
  });
  return fields.length > 0 ? withFields(event, Object.fromEntries(fields)) : event;
}

/**
 * Checks that the sealed values in an event were sealed for that event. A state that is folded from the event trusts
 * the event id in the value.
 * @throws {SealBroken} if a value was sealed for another event
 */
export function checkSeals(contract: ServiceContract, event: AnyEvent, id: string): void {
  for (const { value } of findPersonalFields(contract, event)) {
    if (sealedEventId(value as Sealed) !== id)
      throw new SealBroken(SafeText.trusted(`${event.type}: a value of another event`));
  }
}
