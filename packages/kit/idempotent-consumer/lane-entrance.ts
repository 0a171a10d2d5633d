import type { AnyEvent } from '../messages/contract.js';
import type { Envelope } from '../messages/envelope.js';
import type { Source } from './listening.js';

/** A message and the key that it contends for. */
export interface ContendedMessage {
  readonly key: string;
  readonly message: Envelope;
}

/**
 * Entrance to a lane for keys under contention. A consumer stores messages there, and one writer for each key decides for
 * many of them at once. `packages/kit/lane` implements it.
 */
export interface LaneEntrance {
  /** Returns the key that a message contends for, or `undefined` if it always takes a plain transaction. */
  keyOf(message: Envelope, event: AnyEvent): string | undefined;
  /** Returns those messages of a batch that should take the lane now. This is a hint: both ways are correct at any time. */
  hotAmong<M extends ContendedMessage>(messages: readonly M[]): readonly M[];
  /**
   * Returns the source with handlers that notice rivals.
   * @throws {Contended} in the handler, as soon as its message should take the lane
   */
  watched(source: Source): Source;
  /**
   * Stores messages for the writer.
   * @returns ids of the messages that are stored. The queue may delete these.
   */
  store(messages: readonly ContendedMessage[]): Promise<ReadonlySet<string>>;
}

/** Error for a message whose key turned out to be hot while it was processed by plain transactions. Nothing was written. */
export class Contended extends Error {
  override readonly name = 'Contended';
}
