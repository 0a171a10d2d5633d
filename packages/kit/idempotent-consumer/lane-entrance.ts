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
  /** Tells whether messages of this key should take the lane now. This is a hint: both ways are correct at any time. */
  isHot(key: string): boolean;
  /**
   * Returns the source with handlers that count lost races.
   * @throws {Contended} in the handler, as soon as the key of its message is hot
   */
  watched(source: Source): Source;
  /**
   * Stores messages for the writer.
   * @returns ids of the messages that are stored. The queue may delete these.
   */
  store(messages: readonly ContendedMessage[]): Promise<ReadonlySet<string>>;
}

/** Error for a message whose key became hot while it was processed by plain transactions. Nothing was written. */
export class Contended extends Error {
  override readonly name = 'Contended';
}
