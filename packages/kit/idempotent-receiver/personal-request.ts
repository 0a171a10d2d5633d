import { Problem } from '../http/errors.js';
import { type Request, toKeyedRequest } from '../http/http.js';
import type { EventSchema } from '../messages/contract.js';
import type { Unsealed } from '../messages/sealed.js';
import type { PersonalKeys } from '../personal-data/personal-keys.js';
import { checkSamePersonal, type KeyedRequest } from './idempotency-key.js';

type PersonalSchema = Required<Pick<EventSchema, 'personal'>> & Pick<EventSchema, 'shownAs'>;

/** Personal fields of an event, prepared for its commit. Absent fields are left out; so are all of them if the person is forgotten. */
interface PreparedFields<Schema extends PersonalSchema> {
  readonly fields: { readonly [Field in keyof Schema['personal']]?: Unsealed };
  /** Refuses a new effect, if the request has personal data of a forgotten person. */
  readonly refuseForgotten: (() => never) | undefined;
  /** Keys as this request has seen them: they open the answer without a second look at the person's item. */
  readonly keys: PersonalKeys;
}

/** Parts of a route whose request has one effect, and personal data of a person who is known from the start. */
export interface PersonalEffect<Schema extends PersonalSchema, Key, Read, Made, View extends object> {
  /** Reads the key of the request, before anything else. Personal text is hashed neither into the key nor beside it. */
  readonly key: (request: KeyedRequest) => Key;
  /** Reads that the effect needs. They run beside the look at the person's key. */
  readonly reads: () => Promise<Read>;
  /** Makes the effect, or finds it as an earlier request made it. */
  readonly make: (personal: Omit<PreparedFields<Schema>, 'keys'> & { readonly key: Key }, read: Read) => Promise<Made>;
  /** Returns what was made as its person may see it. */
  readonly show: (keys: PersonalKeys, made: Made) => Promise<View>;
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
 * const { shown, replayed } = await personal.once(request, caller.id, {
 *   key: parseIdempotencyKey,
 *   reads: () => statusOf(table, caller.id),
 *   make: ({ key, fields, refuseForgotten }, status) => createOnce({ key, refuseNew: refuseForgotten, ... }),
 *   show: (keys, { loaded }) => viewForCaller(keys, caller, loaded),
 * });
 */
export class PersonalRequest<const Schema extends PersonalSchema> {
  /** Fields of the event, with the names of the body's fields. */
  private readonly fields: readonly { readonly field: string; readonly name: string }[];

  constructor(
    private readonly personalKeys: Pick<PersonalKeys, 'forRequest'>,
    { personal, shownAs = {} }: Schema,
  ) {
    this.fields = Object.keys(personal).map((field) => ({ field, name: shownAs[field] ?? field }));
  }

  /**
   * Makes the one effect of a request with personal data: it hides the data from the key, prepares it for its commit, and
   * compares that of a repeat with what is stored.
   * @param person to whom the data belongs
   * @throws {Problem} 422 if the key came with other personal data before
   */
  async once<Key, Read, Made, View extends object>(
    request: Request<object, unknown>,
    person: string,
    { key, reads, make, show }: PersonalEffect<Schema, Key, Read, Made, View>,
  ): Promise<Made & { readonly shown: View }> {
    const read = key(this.toHashable(toKeyedRequest(request)));
    const [beside, { keys, ...prepare }] = await Promise.all([reads(), this.prepared(person, request.body)]);
    const made = await make({ ...prepare, key: read }, beside);
    const shown = await show(keys, made);
    this.checkSame(request.body, shown);
    return { ...made, shown };
  }

  /**
   * Returns the request as it is hashed. A field that earlier releases wrote in plain text stays in their hash of the
   * body, by which repeats of requests from before are recognised, and in the key of `auto`.
   */
  toHashable(request: KeyedRequest): KeyedRequest {
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
    let refuseForgotten: (() => never) | undefined;
    const keys = this.personalKeys.forRequest();
    // One after the other, so that the second one finds what the first one has seen.
    for (const { field, name } of this.fields) {
      const plain = fieldOf(body, name);
      if (plain === undefined) continue;
      const unsealed = await keys.createUnsealed(person, plain);
      if (unsealed) fields[field] = unsealed;
      else refuseForgotten = this.refuseForgotten;
    }
    return { fields: fields as PreparedFields<Schema>['fields'], refuseForgotten, keys };
  }

  /** @throws {Problem} 409, always: the person is forgotten */
  private readonly refuseForgotten = (): never => {
    const names = this.fields.map(({ name }) => name).join(' and ');
    throw new Problem(
      'person-forgotten',
      `Your personal data was erased; no new personal data is accepted. Leave ${names} out.`,
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
