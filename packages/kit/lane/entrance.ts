import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, type Item } from '../aws/dynamodb.js';
import { checkItemSize } from '../aws/dynamodb-limits.js';
import { Env } from '../aws/environment.js';
import { readDedupeWindow, requireEnv, requireIntegerEnv, requireListEnv } from '../aws/read-environment.js';
import { describeError, logger } from '../aws/telemetry.js';
import { type Delivery, envelopeOf } from '../failures/delivery.js';
import type { JointRequest } from '../idempotent-consumer/joint-decision.js';
import type { LaneConsumer, LaneEntrance, OpenEntrance } from '../idempotent-consumer/lane-entrance.js';
import { decodeMessage, type Source } from '../idempotent-consumer/message-source.js';
import type { Decide } from '../idempotent-consumer/process-once.js';
import { type Envelope, messageIdOf } from '../messages/envelope.js';
import { HotKeys } from './hot-keys.js';
import type { Lane } from './lane.js';
import { buildRequestItem } from './request-item.js';

/** Limit of DynamoDB for the items of one BatchWriteItem. */
const MAX_ITEMS = 25;

/**
 * Returns the entrance of a lane, for the consumer that stores requests.
 * @example
 * export const handler = consumer([on(seatCommands, { BookSeat: ... })], { lane: createLaneEntrance(seatLane) });
 * @throws {SettingMissing} at start, if the consumer's construct has no lane
 */
export const createLaneEntrance =
  (lane: Lane): OpenEntrance =>
  (consumer) =>
    new Entrance(lane, consumer);

/** Error for a message whose key turned out to be hot while it was processed by plain transactions. Nothing was written. */
export class Contended extends Error {
  override readonly name = 'Contended';
}

/** A delivery that may take the lane, and the key that it contends for. */
interface Contender {
  readonly key: string;
  readonly message: Envelope;
  readonly delivery: Delivery;
}

/**
 * Tells whether a message may take the lane: not one that has a record, that a lane returned, or that is quarantined. A
 * request in a lane expires with the window of its message, so one of a replayed event might have expired before.
 */
const isLaneEligible = ({ recorded, returned, replayed, tooOld }: Delivery): boolean =>
  !recorded && !returned && !replayed && !tooOld;

const countByKey = (contenders: readonly Contender[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { key } of contenders) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

class Entrance implements LaneEntrance {
  private readonly table = requireEnv(Env.TABLE);
  private readonly name = requireEnv(Env.LANE);
  private readonly consumer = {
    name: requireEnv(Env.CONSUMER),
    generation: requireIntegerEnv(Env.CONSUMER_GENERATION),
  };
  private readonly windowSeconds = readDedupeWindow();
  private readonly conflictsPerSecond = requireIntegerEnv(Env.LANE_CONFLICTS_PER_SECOND);
  private readonly hotKeys = new HotKeys({
    always: requireListEnv(Env.LANE_HOT_KEYS),
    conflictsPerSecond: this.conflictsPerSecond,
  });
  /** Time since the last change of a key from which on a message has no rivals, in a lane that loads. */
  private readonly calmMilliseconds = 1000 / this.conflictsPerSecond;

  private readonly watchedSources: readonly Source[];

  constructor(
    private readonly lane: Lane,
    private readonly of: LaneConsumer,
  ) {
    this.watchedSources = of.sources.map((source) => this.watching(source));
  }

  storeHot(deliveries: readonly Delivery[]): Promise<ReadonlySet<Delivery>> {
    const contenders = this.contendersAmong(deliveries);
    const counts = countByKey(contenders);
    return this.store(
      contenders.filter(({ key }) => this.isHot(key) || (this.hasRivals && (counts.get(key) ?? 0) > 1)),
    );
  }

  sourcesFor(delivery: Delivery): readonly Source[] {
    return isLaneEligible(delivery) ? this.watchedSources : this.of.sources;
  }

  async storeAfter(error: unknown, delivery: Delivery): Promise<boolean> {
    return error instanceof Contended && (await this.store(this.contendersAmong([delivery]))).has(delivery);
  }

  private contendersAmong(deliveries: readonly Delivery[]): readonly Contender[] {
    return deliveries.flatMap((delivery) => {
      const message = envelopeOf(delivery);
      if (!message || !isLaneEligible(delivery)) return [];
      try {
        const key = this.lane.keyOf(message, decodeMessage(this.of.sources, message, this.of.commanders).event);
        return key === undefined ? [] : [{ key, message, delivery }];
      } catch {
        // A plain transaction refuses it, with its reasons.
        return [];
      }
    });
  }

  private isHot(key: string): boolean {
    return this.hotKeys.isHot(key, Date.parse(clock.now()));
  }

  /** Whether messages take the lane for their rivals. A lane that loads nothing sees rivals by its lost races only. */
  private get hasRivals(): boolean {
    return this.lane.loadsState && this.calmMilliseconds >= 1;
  }

  /** Returns a source whose handlers throw {@link Contended} as soon as their message should take the lane. */
  private watching(source: Source): Source {
    return {
      ...source,
      read: (envelope) => {
        const { event, handle } = source.read(envelope);
        const key = this.lane.keyOf(envelope, event);
        if (key === undefined) return { event, handle };
        return {
          event,
          handle: (message) => {
            const handling = handle(message);
            if (!('decide' in handling)) return handling;
            if (handling.together && this.hasRivals) return { decide: this.decideUnlessContended(handling.together) };
            return { decide: this.decideCountingConflicts(key, handling.decide) };
          },
        };
      },
    };
  }

  /** Stores messages. One that can't be stored takes a plain transaction. @returns the deliveries that are stored */
  private async store(contenders: readonly Contender[]): Promise<ReadonlySet<Delivery>> {
    if (contenders.length === 0) return new Set();
    try {
      const ids = await this.putAll(contenders);
      const stored = contenders.filter(({ message }) => ids.has(messageIdOf(message)));
      for (const { delivery } of stored) this.of.log.info('stored for the lane', delivery);
      return new Set(stored.map(({ delivery }) => delivery));
    } catch (error) {
      logger.warn('not stored for the lane', describeError(error));
      return new Set();
    }
  }

  /**
   * Puts the messages with one call for 25 of them. It puts without conditions: an item that exists is the same message,
   * and a put that changes nothing shows nothing in the stream ("Change data capture for DynamoDB Streams").
   * @returns ids of the messages that are stored
   */
  private async putAll(contenders: readonly Contender[]): Promise<ReadonlySet<string>> {
    const now = clock.now();
    const { consumer, windowSeconds } = this;
    // BatchWriteItem refuses a key that is named twice.
    const items = new Map(
      contenders.map(({ key, message }) => [
        messageIdOf(message),
        buildRequestItem(consumer, { lane: this.name, key }, message, { now, windowSeconds }),
      ]),
    );
    const stored = new Set<string>();
    const entries = [...items];
    for (let from = 0; from < entries.length; from += MAX_ITEMS) {
      const chunk = entries.slice(from, from + MAX_ITEMS);
      const left = await this.put(chunk.map(([, item]) => item));
      for (const [id, { sk }] of chunk) if (!left.has(sk)) stored.add(id);
    }
    if (!this.lane.loadsState) this.countAvoidedConflicts(contenders);
    return stored;
  }

  /** @returns sort keys of the items that were not put */
  private async put(items: readonly Item[]): Promise<ReadonlySet<unknown>> {
    for (const item of items) checkItemSize(item);
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    const { UnprocessedItems = {} } = await documentClient.send(
      new BatchWriteCommand({ RequestItems: { [this.table]: requests } }),
    );
    return new Set((UnprocessedItems[this.table] ?? []).map(({ PutRequest }) => PutRequest?.Item?.sk));
  }

  /** Counts the races that these messages would have lost among themselves, so that a busy key stays hot. */
  private countAvoidedConflicts(contenders: readonly Contender[]): void {
    const now = Date.parse(clock.now());
    for (const [key, count] of countByKey(contenders)) this.hotKeys.recordConflict(key, now, count - 1);
  }

  /**
   * Leaves a message to the lane if what it contends for was changed a moment ago, or is being changed now. What was loaded
   * says so to all instances alike, before they race:
   *
   *     instance 1                    instance 2, for the same key
   *     load: changed long ago
   *     transact: committed
   *                                   load: changed 20 ms ago -> lane
   */
  private decideUnlessContended({ decideAll, request }: JointRequest): Decide {
    let attempts = 0;
    return async () => {
      attempts += 1;
      if (attempts > 1) throw new Contended('another transaction was first: it takes the lane');
      const { effects, changedAt } = await decideAll([request]);
      const age = changedAt === undefined ? Infinity : Date.parse(clock.now()) - Date.parse(changedAt);
      if (age < this.calmMilliseconds) throw new Contended('its key was changed a moment ago: it takes the lane');
      return effects.flat();
    };
  }

  /** Counts an attempt that was neither committed nor refused by a condition: it met another transaction. */
  private decideCountingConflicts(key: string, decide: Decide): Decide {
    let attempts = 0;
    return (refused) => {
      attempts += 1;
      if (attempts > 1 && refused === undefined) {
        this.hotKeys.recordConflict(key, Date.parse(clock.now()));
        if (this.isHot(key)) throw new Contended('its key is hot: it takes the lane');
      }
      return decide(refused);
    };
  }
}
