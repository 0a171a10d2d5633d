import { checkSender } from '../failures/failure-kinds.js';
import {
  type AnyEvent,
  type CommandOf,
  ContractViolation,
  type EventOf,
  type EventSchema,
  readEvent,
  type ServiceContract,
  toCommandContract,
} from '../messages/contract.js';
import { aggregateOf, type Envelope, idOf, readEnvelope, schemaVersionOf, senderOf } from '../messages/envelope.js';
import type { CommandSubscription, EventSubscription, OwnCommands, Subscription } from '../messages/subscriptions.js';
import type { Trace } from '../messages/trace.js';
import type { JointRequest } from './joint-decision.js';
import type { Decide } from './process-once.js';

/**
 * Handler of one type of message. It returns one of two kinds of handling:
 *
 * - `decide` returns an effect, which happens once, in one transaction with the processed record.
 * - `project` does a write that is guarded by the version of what it shows. The write may be repeated, so it needs no
 *   record and no age gate.
 */
type Handle<Event> = (message: Message<Event>) => Handling;

/** One handler for each event type of a subscription, or for each command of a contract. */
type Handlers<Messages extends AnyEvent, Type extends string> = {
  readonly [T in Type]: Handle<Extract<Messages, { type: T }>>;
};

/** Handlers of a subscription. One type, and not two overloads: so the compiler names the message that has no handler. */
type HandlersOf<S> =
  S extends EventSubscription<infer C, infer Type>
    ? Handlers<EventOf<C>, Type>
    : S extends CommandSubscription<infer C> | OwnCommands<infer C>
      ? Handlers<CommandOf<C>, CommandOf<C>['type']>
      : never;

/**
 * How one message is handled. A message with `together` may be decided in one transaction with others that contend for the
 * same key.
 */
export type Handling =
  | { readonly decide: Decide; readonly together?: JointRequest }
  | { readonly project: () => Promise<'applied' | 'duplicate'> };

export interface Message<Event> {
  readonly envelope: Envelope;
  readonly event: Event;
  /** Trace for the handler's writes. It names this message as their cause. */
  readonly trace: Trace;
  /** Set if an operator sends the message again after it failed. */
  readonly redriven?: true;
}

/**
 * Messages of one contract, with their handlers.
 * @typeParam H form of the handlers
 */
export interface Source<H = Handle<AnyEvent>> {
  /** Text for error messages, for example `listens to orders`. */
  readonly description: string;
  readonly matches: (envelope: Envelope) => boolean;
  /** Whether the id in the subject is a person's. */
  readonly isAboutPerson: (envelope: Envelope) => boolean;
  /** Person whom a message names, by its contract. */
  readonly personOf: (envelope: Envelope) => string | undefined;
  /** Key that a message contends for, if its contract or its subscription names one. */
  readonly contentionKeyOf: (envelope: Envelope) => string | undefined;
  readonly read: (envelope: Envelope) => DecodedMessage<H>;
}

interface DecodedMessage<H> {
  readonly event: AnyEvent;
  readonly handle: H;
}

/**
 * Connects each message type of a subscription to a handler. A type without a handler does not compile.
 * @example
 * on(orderEnds, {
 *   OrderApproved: ({ event, trace }) => ({ decide: () => ship(event.data.orderId, trace) }),
 *   OrderCancelled: ({ event, trace }) => ({ decide: () => release(event.data.orderId, trace) }),
 * });
 */
export const on = <S extends Subscription | OwnCommands>(subscription: S, handlers: HandlersOf<S>): Source =>
  findSource(subscription, handlers);

/**
 * Connects the messages of a subscription to handlers of any form, by their types. `on` of each pattern checks that the
 * handlers fit the subscription.
 */
export function findSource<H>(subscription: Subscription | OwnCommands, handlers: object): Source<H> {
  const find = (type: string): H | undefined =>
    Object.hasOwn(handlers, type) ? (handlers as Record<string, H>)[type] : undefined;
  if ('contract' in subscription) return createEventSource(subscription, find);
  const contract = 'commandsOf' in subscription ? subscription.commandsOf : subscription.ownCommandsOf;
  return {
    description: `takes commands to ${contract.service}`,
    matches: ({ to }) => to === contract.service,
    isAboutPerson: createPersonCheck(contract),
    personOf: createPersonReader(contract, contract.commands),
    contentionKeyOf: createContentionKeyReader(contract.contends),
    read: createDecoder(toCommandContract(contract), find),
  };
}

/** Connects all messages of a subscription to the same handler. */
export const onEvery = <C extends ServiceContract, Type extends EventOf<C>['type']>(
  subscription: EventSubscription<C, Type>,
  handle: Handle<Extract<EventOf<C>, { type: Type }>>,
): Source =>
  createEventSource(subscription, (type) =>
    (subscription.types as readonly string[]).includes(type) ? (handle as Handle<AnyEvent>) : undefined,
  );

type Find<H> = (type: string) => H | undefined;

const createEventSource = <H>({ contract, contends }: EventSubscription, find: Find<H>): Source<H> => ({
  description: `listens to ${contract.service}`,
  matches: ({ to, source }) => to === undefined && senderOf({ source }) === contract.service,
  isAboutPerson: createPersonCheck(contract),
  personOf: createPersonReader(contract, contract.events),
  contentionKeyOf: createContentionKeyReader(contends),
  read: createDecoder(contract, find),
});

/** The data may not have been checked yet: a message that breaks its contract contends for nothing. */
const createContentionKeyReader =
  (field: string | undefined) =>
  ({ data }: Envelope): string | undefined =>
    field === undefined ? undefined : readString(data, field);

function readString(data: unknown, field: string): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const value: unknown = (data as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Finds the person whom a message names: by its contract's `person`, by whom its personal fields belong to, or because its
 * subject is a person's aggregate. The data may not have been checked yet.
 */
const createPersonReader =
  (contract: ServiceContract, schemas: Readonly<Record<string, EventSchema>> = {}) =>
  (envelope: Envelope): string | undefined => {
    const { person } = contract;
    const owners = Object.values((Object.hasOwn(schemas, envelope.type) && schemas[envelope.type]?.personal) || {});
    const named = [...(person === undefined ? [] : [person]), ...owners]
      .map((field) => readString(envelope.data, field))
      .find((one) => one !== undefined && one !== '');
    return named ?? (createPersonCheck(contract)(envelope) ? idOf(envelope) : undefined);
  };

const createPersonCheck =
  ({ aggregatesOfPeople = [] }: ServiceContract) =>
  (envelope: Envelope): boolean =>
    aggregatesOfPeople.includes(aggregateOf(envelope));

/** Finds the source that a message is from. */
export const sourceFor = <H>(sources: readonly Source<H>[], envelope: Envelope): Source<H> | undefined =>
  sources.find(({ matches }) => matches(envelope));

/** Returns the person whom a stored message names; `undefined` also for a payload that can't be read. */
export function findPerson(sources: readonly Source<unknown>[], payload: () => string): string | undefined {
  try {
    const envelope = readEnvelope(payload());
    return sourceFor(sources, envelope)?.personOf(envelope);
  } catch {
    return undefined;
  }
}

const createDecoder =
  <H>(schemas: ServiceContract, find: Find<H>) =>
  (envelope: Envelope): DecodedMessage<H> => {
    const event: AnyEvent = readEvent(schemas, envelope.type, schemaVersionOf(envelope), envelope.data);
    const handle = find(event.type);
    if (!handle) {
      throw new ContractViolation('NEWER_TYPE', 'no handler for this type: expected a type of the subscription');
    }
    return { event, handle };
  };

/**
 * Finds the handler of a message.
 * @param commanders names of the services that may send commands, besides the consumer's own service
 * @throws {ContractViolation} if no source matches the message, or if it is a command from any other service
 */
export function decodeMessage<H>(
  sources: readonly Source<H>[],
  envelope: Envelope,
  commanders: readonly string[],
): DecodedMessage<H> {
  const source = sourceFor(sources, envelope);
  if (!source) {
    throw new ContractViolation(
      'UNKNOWN_TYPE',
      `this consumer ${sources.map(({ description }) => description).join(', ')} only`,
    );
  }
  const foreign = checkSender(envelope, commanders);
  if (foreign) throw foreign;
  return source.read(envelope);
}
