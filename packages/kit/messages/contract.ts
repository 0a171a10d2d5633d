import type * as z from 'zod/mini';
import { safeParse } from 'zod/mini';
import type { DeepReadonly } from '../aws/deep-readonly.js';
import { SafeError, SafeText } from '../aws/safe-error.js';

/** Schema of one type of event or command: the shape of its `data`, in each version. */
export interface EventSchema<Data = unknown> {
  /** Newest version of the shape that this release reads, from 1. Domain code only knows this version. */
  readonly version: number;
  readonly data: z.ZodMiniType<Data>;
  /**
   * Earlier versions by their number, each with its upcaster to the next version. Keep them for ever, because stored
   * events keep their version.
   */
  readonly earlier?: Readonly<Record<number, EarlierShape>>;
  /**
   * Version that this release writes. In the release that learns to read a new version, it is below `version`. It is 0 for
   * a type that is only read: in the release that learns it, and for ever if the type was renamed or is decided no more.
   * @default version
   */
  readonly writes?: number;
  /**
   * Fields of `data` that hold personal data, each with the field that names the person: `{ deliverTo: 'customerId' }`.
   * They are sealed before anything is stored or published (personal-data/).
   * @default no personal fields
   */
  readonly personal?: Readonly<Record<string, string>>;
  /**
   * Names under which personal fields are shown after they are opened: `{ sealedReference: 'clientReference' }`. A
   * field of that name holds plain text that earlier releases wrote; it is read and never written.
   * @default the fields keep their names
   */
  readonly shownAs?: Readonly<Record<string, string>>;
  /**
   * `false` for a type that stays inside of its service: it is stored as every event is, and the relay doesn't publish it, so no
   * subscription can name it. @default true
   */
  readonly onBus?: boolean;
}

/** Earlier version of a shape. Both conversions are pure, and each converts by one version only. */
export interface EarlierShape {
  readonly data: z.ZodMiniType;
  /** Upcaster: converts data of this version to the next version. */
  readonly upcast: (data: never) => unknown;
  /**
   * Converts data of the next version to this version. It is needed only while a release writes this version or an
   * earlier one.
   */
  readonly downcast?: (next: never) => unknown;
}

/** Creates an earlier shape. The compiler checks its conversions against its schema. */
export const earlierShape = <Data>(
  data: z.ZodMiniType<Data>,
  upcast: (data: Data) => unknown,
  downcast?: (next: never) => Data,
): EarlierShape => ({ data, upcast, ...(downcast ? { downcast } : {}) });

/** Contract of a service: its name, every event that it publishes, and every command that it accepts. */
export interface ServiceContract<Events extends Record<string, EventSchema> = Record<string, EventSchema>> {
  /** Name of the service, without the name of its application: `orders`. */
  readonly service: string;
  readonly events: Events;
  /**
   * Field of `data` that names the person whom an event is about. The commits of such events are in the index of
   * people, with or without personal fields, so an export finds them.
   * @default the index has only commits with personal fields
   */
  readonly person?: string;
  /**
   * Types of aggregates whose id is a person's id, for example `Account`. Logs name the type only and leave the id out,
   * because logs outlive a person's request for erasure.
   * @default none
   */
  readonly aggregatesOfPeople?: readonly string[];
  /** Commands that the service accepts. Senders write them by this contract, which is the receiver's. @default none */
  readonly commands?: Record<string, EventSchema>;
  /**
   * Field of the commands' `data` with the key that commands contend for, for example `customerId` if they all change their
   * customer's account. Commands of one key in a batch are processed one after the other, and may be decided together
   * (lane/).
   * @default commands contend for the aggregate that sends them
   */
  readonly contends?: string;
}

type MessageOf<Schemas extends Record<string, EventSchema>> = {
  [Type in keyof Schemas & string]: { readonly type: Type; readonly data: z.infer<Schemas[Type]['data']> };
}[keyof Schemas & string];

/** Events of a contract as a discriminated union of `{ type, data }`. */
export type EventOf<C extends ServiceContract> = MessageOf<C['events']>;

/** Commands of a contract as a discriminated union of `{ type, data }`. */
export type CommandOf<C extends ServiceContract> = C extends {
  readonly commands: infer Commands extends Record<string, EventSchema>;
}
  ? MessageOf<Commands>
  : never;

/**
 * Returns a contract that has the commands in place of the events. So commands are checked, read and upcast as events
 * are.
 */
export const toCommandContract = ({ service, commands = {} }: ServiceContract): ServiceContract => ({
  service,
  events: commands,
});

/**
 * Returns the types of events that stay inside of a service, for its relay.
 * @param contracts all contracts of the service's events
 * @throws {Error} if a type stays inside by one contract and is published by another: the relay only sees its name
 */
export function listTypesOffBus(contracts: readonly ServiceContract[]): readonly string[] {
  const all = contracts.flatMap(({ events }) => Object.entries(events));
  const types = all.flatMap(([type, { onBus = true }]) => (onBus ? [] : type));
  const unclear = all.find(([type, { onBus = true }]) => onBus && types.includes(type));
  if (unclear)
    throw new Error(
      `${unclear[0]} is on the bus by one contract of the service and not by another (onBus): expected the same, or another name`,
    );
  return types;
}

/** An event whose contract the compiler does not know yet. */
export interface AnyEvent {
  readonly type: string;
  readonly data: unknown;
}

/** A command to send, whose contract the compiler does not know yet. */
export interface OutgoingCommand {
  /** Contract of the service that receives the command. It may be the sender's own. */
  readonly to: ServiceContract;
  readonly command: AnyEvent;
}

/**
 * Returns a command to a service. The service's contract checks it: an unknown type, or data of another shape, does not
 * compile.
 * @example
 * buildCommand(hotelsContract, 'BookHotel', { tripId, stepId, nights: 3 });
 */
export const buildCommand = <const C extends ServiceContract, const Type extends CommandOf<C>['type']>(
  to: C,
  type: Type,
  data: DeepReadonly<Extract<CommandOf<C>, { readonly type: Type }>['data']>,
): OutgoingCommand => ({ to, command: { type, data } });

/**
 * Error for a message that breaks its contract, or whose sender may not send it. It says where the fault is and of what
 * kind; it never contains the value, which may be personal.
 *
 * `NEWER_VERSION` and `NEWER_TYPE` are transient, because a deployment may be running. The other codes are permanent.
 */
export class ContractViolation extends SafeError {
  override readonly name = 'ContractViolation';
  constructor(
    readonly code:
      | 'UNKNOWN_TYPE'
      | 'NEWER_TYPE'
      | 'NEWER_VERSION'
      | 'INVALID_DATA'
      | 'INVALID_ENVELOPE'
      | 'SENDER_NOT_ALLOWED',
    detail: string,
  ) {
    super(SafeText.trusted(`${code}: ${detail}`));
  }
}

/**
 * Returns paths and codes of a schema's faults, for logs and failure records, for example `lines.0.quantity too_small`.
 */
export const formatIssues = (error: z.core.$ZodError): string =>
  error.issues.map((issue) => `${issue.path.map(String).join('.') || '(root)'} ${issue.code}`).join(', ');

const findSchema = (contract: ServiceContract, type: string): EventSchema | undefined =>
  Object.hasOwn(contract.events, type) ? contract.events[type] : undefined;

const validate = (type: string, shape: z.ZodMiniType, data: unknown): unknown => {
  const result = safeParse(shape, data);
  if (!result.success) throw new ContractViolation('INVALID_DATA', `${type}: ${formatIssues(result.error)}`);
  return result.data;
};

const findEarlierShape = (type: string, { earlier }: EventSchema, version: number): EarlierShape => {
  const shape = earlier?.[version];
  if (!shape) throw new ContractViolation('INVALID_DATA', `${type}: no shape of version ${version}`);
  return shape;
};

/**
 * Checks an event against its contract and converts it to the version that this release writes.
 * @throws {ContractViolation} if the type is unknown or only read in this release, or if the data breaks its schema
 */
export function encodeEvent(
  contract: ServiceContract,
  { type, data }: AnyEvent,
): { readonly schemaVersion: number; readonly data: unknown } {
  const schema = findSchema(contract, type);
  if (!schema) throw new ContractViolation('UNKNOWN_TYPE', `${contract.service} has no type of that name`);
  validate(type, schema.data, data);
  const schemaVersion = schema.writes ?? schema.version;
  if (schemaVersion === 0) {
    throw new ContractViolation('UNKNOWN_TYPE', `${type} is only read in this release (writes: 0)`);
  }
  let written = data;
  for (let version = schema.version - 1; version >= schemaVersion; version--) {
    const { data: shape, downcast } = findEarlierShape(type, schema, version);
    written = validate(type, shape, downcast?.(written as never));
  }
  return { schemaVersion, data: written };
}

/**
 * Reads an event that a service published or stored, and upcasts it to the newest version, one version at a time.
 * @throws {ContractViolation} if the type is unknown or the version is newer than the known one (both may come from a newer
 *   release), or if the data breaks its schema
 */
export function readEvent<C extends ServiceContract>(
  contract: C,
  type: string,
  schemaVersion: number,
  data: unknown,
): EventOf<C> {
  const schema = findSchema(contract, type);
  if (!schema) throw new ContractViolation('NEWER_TYPE', `${contract.service} has no type of that name`);
  if (schemaVersion > schema.version) {
    throw new ContractViolation('NEWER_VERSION', `${type} ${schemaVersion} is newer than ${schema.version}`);
  }
  let read = data;
  for (let version = schemaVersion; version < schema.version; version++) {
    const { data: shape, upcast } = findEarlierShape(type, schema, version);
    read = upcast(validate(type, shape, read) as never);
  }
  return { type, data: validate(type, schema.data, read) } as EventOf<C>;
}
