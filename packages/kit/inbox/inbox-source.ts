import { findSource, type Handling, type Message, type Source } from '../idempotent-consumer/message-source.js';
import type { AnyEvent, CommandOf, EventOf } from '../messages/contract.js';
import type { CommandSubscription, EventSubscription, Subscription } from '../messages/subscriptions.js';
import type { ForgottenPositions } from './sequence-keys.js';
import type { Work } from './work.js';

/**
 * Answer of a handler that has saved its progress and has not finished: it continues at once, in another invocation.
 * This is no failure, and the attempts are counted from the beginning. Without a save in this invocation it is a failed attempt.
 */
export const unfinished = { unfinished: true } as const;

/** Result of a handler: an effect that commits with the final status, or more work in another invocation. */
export type WorkResult = Handling | typeof unfinished;

/** Facts that an inbox passes to a handler beside the message. */
export interface RestoreFacts {
  /**
   * Mode sequential, with the first message of a subject after a restore of its publisher: which places the publisher has forgotten.
   * The handler undoes what it did for them; they don't come again.
   */
  readonly forgotten?: ForgottenPositions;
}

/** A message of an inbox. */
export interface WorkMessage<Event> extends Message<Event>, RestoreFacts {}

/**
 * Handler of one type of message. It may take minutes, call other systems and save progress; it writes nothing that must
 * happen once, except by `save` and by the effect that it returns.
 */
export type WorkHandle<Event> = (message: WorkMessage<Event>, work: Work) => Promise<WorkResult> | WorkResult;

/** Messages of one contract, with the handlers of an inbox. */
export type InboxSource = Source<WorkHandle<AnyEvent>>;

type WorkHandlers<Messages extends AnyEvent, Type extends string> = {
  readonly [T in Type]: WorkHandle<Extract<Messages, { type: T }>>;
};

/** Handlers of a subscription. One type, and not two overloads: so the compiler names the message that has no handler. */
type WorkHandlersOf<S> =
  S extends EventSubscription<infer C, infer Type>
    ? WorkHandlers<EventOf<C>, Type>
    : S extends CommandSubscription<infer C>
      ? WorkHandlers<CommandOf<C>, CommandOf<C>['type']>
      : never;

/**
 * Connects each message type of a subscription to a handler of an inbox. A type without a handler does not compile.
 * @example
 * on(suspicions, { UserSuspected: async ({ event }, work) => review(event.data.userId, work) });
 */
export const on = <S extends Subscription>(subscription: S, handlers: WorkHandlersOf<S>): InboxSource =>
  findSource(subscription, handlers);
