import { foreignCommand } from '../failures/failure-kinds.js';
import {
  type AnyEvent,
  type CommandOf,
  ContractViolation,
  commandsOf,
  type EventOf,
  readEvent,
  type ServiceContract,
  sourceOf,
} from '../messages/contract.js';
import { aggregateOf, type Envelope, schemaVersionOf } from '../messages/envelope.js';
import type { CommandSubscription, EventSubscription, OwnCommands, Subscription } from '../messages/subscriptions.js';
import type { Trace } from '../messages/trace.js';
import type { Decide } from './process-once.js';

/**
 * Handles one kind of message. `decide`: an effect, once, with its record. `project`: a write that is guarded by the version
 * of what it shows, so that it may be repeated; it needs no record and no age gate.
 */
type Handle<Event> = (message: Message<Event>) => Handling;

/** One handler for each event type of a subscription, or for each command of a contract. */
type Handlers<Messages extends AnyEvent, Type extends string> = {
  readonly [T in Type]: Handle<Extract<Messages, { type: T }>>;
};

/** How one message is handled. */
export type Handling = { readonly decide: Decide } | { readonly project: () => Promise<'applied' | 'duplicate'> };

export interface Message<Event> {
  readonly envelope: Envelope;
  readonly event: Event;
  /** For what the handler writes: caused by this message. */
  readonly trace: Trace;
}

/** One contract's messages, and what is done with them. */
export interface Source {
  /** For a refusal: `listens to orders`. */
  readonly does: string;
  readonly sends: (envelope: Envelope) => boolean;
  /** Whether the id in the subject is a person's. */
  readonly isAboutPerson: (envelope: Envelope) => boolean;
  readonly read: (envelope: Envelope) => Read;
}

interface Read {
  readonly event: AnyEvent;
  readonly handle: Handle<AnyEvent>;
}

/**
 * Says what a consumer does with each message of a subscription; a type without a handler doesn't compile.
 * @example
 * consumer([on(orderEnds, { OrderApproved: ({ event, trace }) => ({ decide: async () => [...] }), OrderCancelled: ... })])
 */
export function on<C extends ServiceContract, Type extends EventOf<C>['type']>(
  subscription: EventSubscription<C, Type>,
  handlers: Handlers<EventOf<C>, Type>,
): Source;
export function on<C extends ServiceContract>(
  subscription: CommandSubscription<C> | OwnCommands<C>,
  handlers: Handlers<CommandOf<C>, CommandOf<C>['type']>,
): Source;
export function on(subscription: Subscription | OwnCommands, handlers: object): Source {
  const find = (type: string): Handle<AnyEvent> | undefined =>
    Object.hasOwn(handlers, type) ? (handlers as Record<string, Handle<AnyEvent>>)[type] : undefined;
  if ('contract' in subscription) return eventsOf(subscription, find);
  const contract = 'commandsOf' in subscription ? subscription.commandsOf : subscription.ownCommandsOf;
  return {
    does: `takes commands to ${contract.service}`,
    sends: ({ to }) => to === contract.service,
    isAboutPerson: aboutPerson(contract),
    read: reader(commandsOf(contract), find),
  };
}

/** Does the same with each message of a subscription. */
export const onEvery = <C extends ServiceContract, Type extends EventOf<C>['type']>(
  subscription: EventSubscription<C, Type>,
  handle: Handle<Extract<EventOf<C>, { type: Type }>>,
): Source =>
  eventsOf(subscription, (type) =>
    (subscription.types as readonly string[]).includes(type) ? (handle as Handle<AnyEvent>) : undefined,
  );

type Find = (type: string) => Handle<AnyEvent> | undefined;

const eventsOf = ({ contract }: EventSubscription, find: Find): Source => ({
  does: `listens to ${contract.service}`,
  sends: ({ to, source }) => to === undefined && source === sourceOf(contract.service),
  isAboutPerson: aboutPerson(contract),
  read: reader(contract, find),
});

const aboutPerson =
  ({ aggregatesOfPeople = [] }: ServiceContract) =>
  (envelope: Envelope): boolean =>
    aggregatesOfPeople.includes(aggregateOf(envelope));

const reader =
  (schemas: ServiceContract, find: Find) =>
  (envelope: Envelope): Read => {
    const event: AnyEvent = readEvent(schemas, envelope.type, schemaVersionOf(envelope), envelope.data);
    const handle = find(event.type);
    if (!handle) throw new ContractViolation('UNKNOWN_TYPE', 'this consumer has no handler for it');
    return { event, handle };
  };

/**
 * Finds the handler of a message.
 * @param commanders names of the services whose commands are taken, beside the consumer's own
 * @throws {ContractViolation} where it is none of the messages that these are for, or a command of anybody else
 */
export function readFrom(sources: readonly Source[], envelope: Envelope, commanders: readonly string[]): Read {
  const source = sources.find(({ sends }) => sends(envelope));
  if (!source) {
    throw new ContractViolation('UNKNOWN_TYPE', `this consumer ${sources.map(({ does }) => does).join(', ')} only`);
  }
  const foreign = foreignCommand(envelope, commanders);
  if (foreign) throw foreign;
  return source.read(envelope);
}
