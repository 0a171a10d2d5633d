import { Problem } from '../http/errors.js';
import type { EventSchema } from '../messages/contract.js';
import type { Unsealed } from '../messages/sealed.js';
import type { PersonalKeys } from '../personal-data/personal-keys.js';
import { checkSamePersonal, type KeyedRequest } from './idempotency-key.js';

type PersonalSchema = Required<Pick<EventSchema, 'personal'>> & Pick<EventSchema, 'shownAs'>;

/**
 * Personal fields of an event, prepared for its commit. Absent fields are left out; so are all of them if the person is
 * forgotten.
 */
export interface PreparedFields<Schema extends PersonalSchema> {
  readonly fields: { readonly [Field in keyof Schema['personal']]?: Unsealed };
  /** Whether the request has personal data of a forgotten person, so that it cannot be stored. */
  readonly isForgotten: boolean;
  /** Keys as this request has seen them: they open the answer without a second look at the person's item. */
  readonly keys: PersonalKeys;
}

/**
 * Personal data in the requests of one route, as the contract of the event that they lead to marks it. A field of the
 * body has the name under which the event's field is shown.
 *
 * - The hash of a request says whether a field is there, and not its content: a hash of a guessable text would reveal it
 *   for ever.
 * - The content is sealed, and a repeat is compared with what is stored.
 * @example
 * const personal = new PersonalRequest(people, ordersContract.events.OrderPlaced);
 * const key = idempotencyKey(personal.hashed(keyedBy(request)));
 * const { fields, isForgotten, keys } = await personal.prepared(caller.id, request.body);
 * const { loaded } = await createOnce({ ..., refuseNew: isForgotten ? personal.refuseForgotten : undefined });
 * personal.checkSame(request.body, await shownTo(keys, caller, loaded));
 */
export class PersonalRequest<const Schema extends PersonalSchema> {
  /** Fields of the event, with the names of the body's fields. */
  private readonly fields: readonly { readonly field: string; readonly name: string }[];

  constructor(
    private readonly people: Pick<PersonalKeys, 'forRequest'>,
    { personal, shownAs = {} }: Schema,
  ) {
    this.fields = Object.keys(personal).map((field) => ({ field, name: shownAs[field] ?? field }));
  }

  /**
   * Returns the request as it is hashed. A field that earlier releases wrote in plain text stays in their hash of the
   * body, by which repeats of requests from before are recognised, and in the key of `auto`.
   */
  hashed(request: KeyedRequest): KeyedRequest {
    const body = { ...(request.body as object) } as Record<string, unknown>;
    for (const { field, name } of this.fields) if (name === field && name in body) body[name] = true;
    return {
      ...request,
      body,
      personal: this.fields.filter(({ field, name }) => name !== field).map(({ name }) => name),
    };
  }

  /** Prepares the personal fields of a body for the event. It creates a key for a person who has none. */
  async prepared(person: string, body: object): Promise<PreparedFields<Schema>> {
    const fields: Record<string, Unsealed> = {};
    let isForgotten = false;
    const keys = this.people.forRequest();
    // One after the other, so that the second one finds what the first one has seen.
    for (const { field, name } of this.fields) {
      const plain = fieldOf(body, name);
      if (plain === undefined) continue;
      const unsealed = await keys.unsealed(person, plain);
      if (unsealed) fields[field] = unsealed;
      else isForgotten = true;
    }
    return { fields: fields as PreparedFields<Schema>['fields'], isForgotten, keys };
  }

  /** @throws {Problem} 409, always: the person is forgotten */
  readonly refuseForgotten = (): never => {
    const names = this.fields.map(({ name }) => name).join(' and ');
    throw new Problem(
      'person-forgotten',
      `your personal data was deleted, and none is taken any more: leave ${names} out`,
    );
  };

  /**
   * Compares the personal fields of a body with the stored ones. Forgotten data is not compared.
   * @param shown the aggregate as it is shown to its person
   * @throws {Problem} 422 if they differ
   */
  checkSame(body: object, shown: object): void {
    for (const { name } of this.fields) checkSamePersonal(fieldOf(body, name), fieldOf(shown, name));
  }
}

const fieldOf = (from: object, name: string): unknown => (from as Readonly<Record<string, unknown>>)[name];
