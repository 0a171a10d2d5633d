import type * as z from 'zod/mini';
import { safeParse } from 'zod/mini';

/** One kind of event (or command): what its `data` looks like, and which version of that shape this release writes. */
export interface EventSchema<Data = unknown> {
  /** Version of the shape, from 1: the one that is written, and the newest that is read. */
  readonly version: number;
  readonly data: z.ZodMiniType<Data>;
}

/** What a service promises to the others: its name, every event it publishes, and every command it takes. */
export interface ServiceContract<Events extends Record<string, EventSchema> = Record<string, EventSchema>> {
  /** Name of the service; EventBridge's `source` is `orderly.<service>`. */
  readonly service: string;
  readonly events: Events;
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

/**
 * An event that its contract doesn't allow. Says where and what kind of fault, never the value: it may be personal.
 * `NEWER_VERSION` may pass once a running deployment is through; the other codes never do.
 */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
  constructor(
    readonly code: 'UNKNOWN_TYPE' | 'NEWER_VERSION' | 'INVALID_DATA' | 'INVALID_ENVELOPE',
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

/**
 * Checks an event against its contract before it is written.
 * @returns the version of the shape it is written in
 * @throws {ContractViolation} where the type is unknown or the data breaks its schema
 */
export function checkEvent(contract: ServiceContract, { type, data }: AnyEvent): number {
  const schema = schemaOf(contract, type);
  const result = safeParse(schema.data, data);
  if (!result.success) throw new ContractViolation('INVALID_DATA', `${type}: ${faultsOf(result.error)}`);
  return schema.version;
}

/**
 * Reads an event that a service published, or stored earlier.
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
  const result = safeParse(schema.data, data);
  if (!result.success) throw new ContractViolation('INVALID_DATA', `${type}: ${faultsOf(result.error)}`);
  return { type, data: result.data } as EventOf<C>;
}
