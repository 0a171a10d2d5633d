import type { Delivery } from '../failures/delivery.js';
import type { MessageLog } from './message-log.js';
import type { Source } from './message-source.js';

/** Details of a consumer that the entrance of its lane needs. */
export interface LaneConsumer {
  readonly sources: readonly Source[];
  /** Names of the services that may send commands. */
  readonly commanders: readonly string[];
  readonly log: MessageLog;
}

/**
 * Entrance to a lane for keys under contention: it stores messages there, and one writer for each key decides many of them
 * at once. A consumer offers it every delivery. Either way is correct for a message at any time.
 */
export interface LaneEntrance {
  /**
   * Stores those deliveries of a batch whose key is hot.
   * @returns the deliveries that are stored, so that the queue may delete them
   */
  storeHot(deliveries: readonly Delivery[]): Promise<ReadonlySet<Delivery>>;
  /** Returns the sources for a delivery. Their handlers notice rivals if the delivery may take the lane. */
  sourcesFor(delivery: Delivery): readonly Source[];
  /**
   * Stores a delivery whose key turned out to be hot while plain transactions processed it.
   * @param error what processing threw
   * @returns whether it is stored, so that the queue may delete it
   */
  storeAfter(error: unknown, delivery: Delivery): Promise<boolean>;
}

/** Opens the entrance for a consumer. `packages/kit/lane` implements it. */
export type OpenEntrance = (consumer: LaneConsumer) => LaneEntrance;
