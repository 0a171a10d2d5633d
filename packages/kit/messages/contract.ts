import type * as z from 'zod/mini';
import { safeParse } from 'zod/mini';

/** One kind of event (or command): what its `data` looks like, in each version of that shape. */
export interface EventSchema<Data = unknown> {
  /** Newest version of the shape that is read, from 1: the one that domain code knows. */
  readonly version: number;
  readonly data: z.ZodMiniType<Data>;
  /** Each version before it, by its number, with the one step to the next: read for ever. */
  readonly earlier?: Readonly<Record<number, EarlierShape>>;
  /** Version that is written: below `version` in the release that learns to read it. @default version */
  readonly writes?: number;
  /**
   * Fields of `data` that hold a person's data, each with the field that names the person: `{ deliverTo: 'customerId' }`.
   * They are sealed before anything is stored or published (personal-data/). @default none does
   */
  readonly personal?: Readonly<Record<string, string>>;
  /**
   * Names under which personal fields are shown once they are open: `{ sealedReference: 'clientReference' }`. A field of
   * that name holds what earlier releases wrote in plain text; it is read, and never written. @default their own names
   */
  readonly shownAs?: Readonly<Record<string, string>>;
}

/** Index of the commits that hold a person's data or are about one, by their attribute `person`; others aren't in it. */
export const PEOPLE_INDEX = 'people';

/** A shape that was written once. Both steps are pure, and go through one version only. */
export interface EarlierShape {
  readonly data: z.ZodMiniType;
  /** Data of this version as the next one has it. */
  readonly upcast: (data: never) => unknown;
  /** The next version's data as this one has it; only while this version, or one before it, is written. */
  readonly downcast?: (next: never) => unknown;
}

/** An earlier shape whose steps the compiler checks against its schema. */
export const earlierShape = <Data>(
  data: z.ZodMiniType<Data>,
  upcast: (data: Data) => unknown,
  downcast?: (next: never) => Data,
): EarlierShape => ({ data, upcast, ...(downcast ? { downcast } : {}) });

/** What a service promises to the others: its name, every event it publishes, and every command it takes. */
export interface ServiceContract<Events extends Record<string, EventSchema> = Record<string, EventSchema>> {
  /** Name of the service, without its application's: `orders`. */
  readonly service: string;
  readonly events: Events;
  /**
   * Field of `data` that names the person whom an event is about: their commits are in the index of people, personal
   * fields or not, so that an export finds them. @default only commits with personal fields are
   */
  readonly person?: string;
  /**
   * Types of its aggregates whose id is a person's (`Account`): logs name the type and leave the id out, since they outlive a
   * person's wish to be forgotten. @default none
   */
  readonly aggregatesOfPeople?: readonly string[];
  /** Whoever sends one writes it by this contract: the receiver's. @default it takes none */
  readonly commands?: Record<string, EventSchema>;
}

type MessageOf<Schemas extends Record<string, EventSchema>> = {
  [Type in keyof Schemas & string]: { readonly type: Type; readonly data: z.infer<Schemas[Type]['data']> };
}[keyof Schemas & string];

/** The events of a contract as a discriminated union, `{ type, data }` each. */
export type EventOf<C extends ServiceContract> = MessageOf<C['events']>;

/** The commands that a contract's service takes, as a discriminated union. */
export type CommandOf<C extends ServiceContract> = C extends {
  readonly commands: infer Commands extends Record<string, EventSchema>;
}
  ? MessageOf<Commands>
  : never;

/** A contract's commands in the place of its events: they are checked, read and upcast in the same way. */
export const commandsOf = ({ service, commands = {} }: ServiceContract): ServiceContract => ({
  service,
  events: commands,
});

/** Any event, before its contract is known to the compiler. */
export interface AnyEvent {
  readonly type: string;
  readonly data: unknown;
}

/** A command on its way out, before its contract is known to the compiler. */
export interface OutgoingCommand {
  /** Contract of the service that takes it: another one's, or the own. */
  readonly to: ServiceContract;
  readonly command: AnyEvent;
}

/**
 * A message that its contract doesn't allow, or whose sender it doesn't. Says where and what kind of fault, never the value: it may be personal.
 * `NEWER_VERSION` may pass once a running deployment is through; the other codes never do.
 */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
  constructor(
    readonly code: 'UNKNOWN_TYPE' | 'NEWER_VERSION' | 'INVALID_DATA' | 'INVALID_ENVELOPE' | 'SENDER_NOT_ALLOWED',
    detail: string,
  ) {
    super(`${code}: ${detail}`);
  }
}

/** Paths and codes of what a schema refused, for logs and failure records: `lines.0.quantity too_small`. */
export const faultsOf = (error: z.core.$ZodError): string =>
  error.issues.map((issue) => `${issue.path.map(String).join('.') || '(root)'} ${issue.code}`).join(', ');

const schemaOf = (contract: ServiceContract, type: string): EventSchema => {
  const schema = Object.hasOwn(contract.events, type) ? contract.events[type] : undefined;
  if (!schema) throw new ContractViolation('UNKNOWN_TYPE', `${contract.service} has no type of that name`);
  return schema;
};

const checked = (type: string, shape: z.ZodMiniType, data: unknown): unknown => {
  const result = safeParse(shape, data);
  if (!result.success) throw new ContractViolation('INVALID_DATA', `${type}: ${faultsOf(result.error)}`);
  return result.data;
};

const earlierOf = (type: string, { earlier }: EventSchema, version: number): EarlierShape => {
  const shape = earlier?.[version];
  if (!shape) throw new ContractViolation('INVALID_DATA', `${type}: no shape of version ${version}`);
  return shape;
};

/**
 * Checks an event against its contract, and brings it into the version that this release writes.
 * @throws {ContractViolation} where the type is unknown or the data breaks its schema
 */
export function eventToWrite(
  contract: ServiceContract,
  { type, data }: AnyEvent,
): { readonly schemaVersion: number; readonly data: unknown } {
  const schema = schemaOf(contract, type);
  checked(type, schema.data, data);
  const schemaVersion = schema.writes ?? schema.version;
  let written = data;
  for (let version = schema.version - 1; version >= schemaVersion; version--) {
    const { data: shape, downcast } = earlierOf(type, schema, version);
    written = checked(type, shape, downcast?.(written as never));
  }
  return { schemaVersion, data: written };
}

/**
 * Reads an event that a service published, or stored earlier, and brings it into the newest version, step by step.
 * @throws {ContractViolation} unknown type, a version above the known one, or data that breaks its schema
 */
export function readEvent<C extends ServiceContract>(
  contract: C,
  type: string,
  schemaVersion: number,
  data: unknown,
): EventOf<C> {
  const schema = schemaOf(contract, type);
  if (schemaVersion > schema.version) {
    throw new ContractViolation('NEWER_VERSION', `${type} ${schemaVersion} is newer than ${schema.version}`);
  }
  let read = data;
  for (let version = schemaVersion; version < schema.version; version++) {
    const { data: shape, upcast } = earlierOf(type, schema, version);
    read = upcast(checked(type, shape, read) as never);
  }
  return { type, data: checked(type, schema.data, read) } as EventOf<C>;
}
