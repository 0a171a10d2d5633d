import { findSource, type Handling, type Message, type Source } from '../idempotent-consumer/message-source.js';
import type { AnyEvent, EventOf, ServiceContract } from '../messages/contract.js';
import type { EventSubscription } from '../messages/subscriptions.js';
import type { Trace } from '../messages/trace.js';
import type { Work } from './work.js';

/** Marks a type whose messages are collected. */
const COLLECTED = { collected: true } as const;

/** Subscription whose messages an inbox collects. `Event` is the union of their events. */
export interface CollectedSource<Event = AnyEvent> extends Source<typeof COLLECTED> {
  /** Only for the compiler: the events that pages contain. */
  readonly events?: Event;
}

/**
 * Collects all messages of a subscription.
 * @example
 * batchInbox([collect(orderEnds)], { windows: dailyWindows('Europe/Berlin'), page, close });
 */
export const collect = <C extends ServiceContract, Type extends EventOf<C>['type']>(
  subscription: EventSubscription<C, Type>,
): CollectedSource<Extract<EventOf<C>, { type: Type }>> =>
  findSource(subscription, Object.fromEntries(subscription.types.map((type) => [type, COLLECTED])));

/** A window that has closed: its messages are fixed. */
export interface ClosedWindow {
  /** Id of the window, as the inbox's `windows` name it. */
  readonly id: string;
  /** Number of the window, from 1, in the order of the windows and without gaps. */
  readonly number: number;
  /** Number of its messages. */
  readonly size: number;
  /** Number of its pages. */
  readonly pages: number;
  /** Trace for the writes of this step. */
  readonly trace: Trace;
}

/** A message of a page. */
export interface CollectedMessage<Event> extends Message<Event> {
  /**
   * Window of the event's time, if that had closed before the message came: the message is late.
   * @default the message is not late
   */
  readonly lateFrom?: string;
}

/** Messages of a closed window that are processed together. */
export interface Page<Event> {
  /** Number of the page, from 1. */
  readonly page: number;
  readonly messages: readonly CollectedMessage<Event>[];
}

/** Handlers of an inbox in mode batch. Each returns an effect, which commits with the progress of the window. */
export interface BatchHandlers<Event> {
  /** Processes a page. Its effect and the final status of its messages commit in one transaction. */
  readonly page: (page: Page<Event>, window: ClosedWindow, work: Work) => Promise<Handling> | Handling;
  /** Ends a window, after all of its pages. It is called for a window without messages, too. */
  readonly close: (window: ClosedWindow, work: Work) => Promise<Handling> | Handling;
}
