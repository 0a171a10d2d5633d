import { foreignCommand } from '../failures/failure-kinds.js';
import {
  type AnyEvent,
  type CommandOf,
  ContractViolation,
  commandsOf,
  type EventOf,
  readEvent,
  type ServiceContract,
} from '../messages/contract.js';
import { aggregateOf, type Envelope, schemaVersionOf, senderOf } from '../messages/envelope.js';
import type { Trace } from '../messages/trace.js';
import type { Decide } from './process-once.js';

/** What a consumer does with the events of a contract, or with the commands to its service. */
export type Listening<C extends ServiceContract, Types extends EventOf<C>['type']> = {
  /** Whose events these are; with `onCommand` the consumer's own service. */
  readonly contract: C;
} & (
  | {
      /**
       * For each event type that it listens to. `decide`: an effect, once, with its record. `project`: a write that is
       * guarded by the version of what it shows, so that it may be repeated; it needs no record and no age gate.
       */
      readonly on: { readonly [Type in Types]: Handle<Extract<EventOf<C>, { type: Type }>> };
    }
  | {
      /** For each command that its service takes. */
      readonly onCommand: { readonly [Type in CommandOf<C>['type']]: Handle<Extract<CommandOf<C>, { type: Type }>> };
    }
);

type Handle<Event> = (message: Message<Event>) => Handling;

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

export function from<C extends ServiceContract, Types extends EventOf<C>['type']>(
  listening: Listening<C, Types>,
): Source {
  const { contract } = listening;
  const takesCommands = 'onCommand' in listening;
  const schemas: ServiceContract = takesCommands ? commandsOf(contract) : contract;
  // The compiler can't follow that the handler of a type gets that type's message.
  const handlers = (takesCommands ? listening.onCommand : listening.on) as unknown as Record<string, Handle<AnyEvent>>;
  return {
    does: takesCommands ? `takes commands to ${contract.service}` : `listens to ${contract.service}`,
    sends: ({ to, source }) =>
      takesCommands ? to === contract.service : to === undefined && senderOf({ source }) === contract.service,
    isAboutPerson: (envelope) => contract.aggregatesOfPeople?.includes(aggregateOf(envelope)) ?? false,
    read: (envelope) => {
      const event: AnyEvent = readEvent(schemas, envelope.type, schemaVersionOf(envelope), envelope.data);
      const handle = Object.hasOwn(handlers, event.type) ? handlers[event.type] : undefined;
      if (!handle) throw new ContractViolation('UNKNOWN_TYPE', 'this consumer has no handler for it');
      return { event, handle };
    },
  };
}

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
