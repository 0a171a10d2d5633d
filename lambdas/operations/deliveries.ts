import {
  type Attempt,
  attemptKey,
  type Commit,
  type ConsumerRecord,
  deliveryKeysOf,
  describeReason,
  describeStepDetails,
  expectedDeliveries,
  type FoundAttempts,
  findDeliveryRecord,
  judgePublication,
  type Listener,
  LOCATION_RULES,
  listBacklogs,
  listListeners,
  locateRecord,
  type Publication,
  publishedMessages,
  type RecordLookup,
  type Relays,
  recordKey,
  relayConsumer,
  type Saga,
  type SentDelivery,
  type Service,
  secondsBetween,
  settleStored,
  smallestWindow,
} from '@orderly/operator';
import type { OrderView } from '../orders/contract.js';

/** Commits of one aggregate that belongs to the order. */
export interface AggregateFacts {
  /** Name of the service that owns it. */
  readonly service: string;
  /** `Order/<id>` */
  readonly subject: string;
  readonly commits: readonly Commit[];
}

/** All data that was read about an order, at about one moment. */
export interface OrderFacts {
  readonly orderId: string;
  /** ISO 8601, UTC. */
  readonly now: string;
  readonly services: readonly Service[];
  /** The order, folded from its events; absent if there are none. */
  readonly order: OrderView | undefined;
  readonly aggregates: readonly AggregateFacts[];
  /** The order's sagas, folded from their commits; empty if none has started. */
  readonly sagas: readonly Saga[];
  /** Returns the record of a listener's service with this key; `undefined` if there is none. */
  readonly recordAt: RecordLookup<ConsumerRecord>;
  /** For each projection that shows the order: the version that it shows, 0 if it doesn't show it yet. */
  readonly shown: ReadonlyMap<string, number>;
  /** Where the relays are. Absent if no message waits without a trace of it. */
  readonly relays?: Relays;
  /** Attempts of consumers, as the logs tell them. @default they were not asked */
  readonly found?: FoundAttempts;
}

/**
 * Outcome of one event at one consumer.
 * - `collected`: it has a place in a window of an inbox, and is processed when that closes.
 * - `lost`: the event is too old to be in a queue, and no record exists.
 * - `expired`: it is even older than processed records are kept, and nothing failed: its outcome is no longer known.
 * - `repeated`: a command whose step had failed before. The record of that failure stands for it.
 * - `unsent`: an operator discarded its publication.
 * - `unjudged`: this tool knows nothing about the projection.
 */
export interface Delivery {
  readonly consumer: string;
  readonly service: string;
  readonly state:
    | 'processed'
    | 'collected'
    | 'pending'
    | 'failed'
    | 'lost'
    | 'discarded'
    | 'repeated'
    | 'expired'
    | 'unsent'
    | 'unjudged';
  /** Time of the delivery, if it was recorded. */
  readonly at?: string;
  /** Reason for its failure or discard: names and codes, no values. For a collected message, its window. */
  readonly reason?: string;
  /** Message id of its record. */
  readonly messageId: string;
  /** Number of its deliveries, if the record counts them. */
  readonly attempts?: number;
  /** Whether its consumer has stored it: only of one that is pending. */
  readonly isStored?: true;
  /** Time at which its record expires. A repetition that comes later is refused by its age. */
  readonly expiresAt?: string;
  /** Each time that the consumer got it, as far as logs tell it. */
  readonly tries?: readonly Attempt[];
}

/** An event, or a command that was sent with it. */
export interface EventReport {
  readonly service: string;
  readonly subject: string;
  readonly id: string;
  readonly version: number;
  readonly type: string;
  /** For a command: the service that handles it. */
  readonly to?: string;
  /** For a saga's event: the step and its result. */
  readonly details?: string;
  readonly at: string;
  /** Request or message that caused it. */
  readonly trigger: string;
  readonly correlationId: string;
  /** Each consumer that subscribes to it or handles it; the relay only if it could not publish. */
  readonly deliveries: readonly Delivery[];
  /** Whether it is published; only while a consumer has nothing of it. */
  readonly publication?: Publication;
}

/** Returns the outcome of each event of an aggregate, and of each command that was sent with one. */
export function reportEvents({ service, subject, commits }: AggregateFacts, facts: OrderFacts): readonly EventReport[] {
  const { services } = facts;
  const from = services.find(({ name }) => name === service);
  const listeners = listListeners(services);
  const steps = facts.sagas.flatMap(({ events }) => events);
  return commits.flatMap((commit) => {
    const { at, trigger, correlationId, pk, sk } = commit;
    const relay = listeners.find((one) => one.name === relayConsumer.name && one.service.name === service);
    const relayRecord = relay && facts.recordAt(relay, recordKey(relay, `${pk}/${sk}`));
    const isUnsent = relayRecord?.status === 'DISCARDED';
    const sent = from ? expectedDeliveries(from, [commit], { services }) : [];
    return publishedMessages(commit).map((message) => {
      const { id } = message;
      const deliveries = sent
        .filter((one) => one.message.id === id)
        .map((one) => withTries(judgeDelivery(one, { isUnsent }, facts), id, facts));
      if (relay && relayRecord) deliveries.unshift(judgeRecord(relay, relayRecord, `${pk}/${sk}`));
      const step = steps.find((one) => one.id === id);
      const details = step && describeStepDetails(step);
      const publication = relayRecord ? undefined : findPublication(deliveries, { service, at }, facts);
      return {
        service,
        subject,
        ...message,
        ...(details && { details }),
        at,
        trigger,
        correlationId,
        deliveries,
        ...(publication && { publication }),
      };
    });
  });
}

function withTries(delivery: Delivery, id: string, { found }: OrderFacts): Delivery {
  const tries = found?.attempts.get(attemptKey(delivery.consumer, id));
  if (!tries) return delivery;
  return { ...delivery, tries: delivery.state === 'processed' ? settleStored(tries) : tries };
}

/** Returns the attempts that are worth a line each: all of them, if there was more than one. */
export const listTries = ({ tries = [] }: Delivery): readonly Attempt[] => (tries.length > 1 ? tries : []);

/** States of a delivery of which nothing is stored, while the message may be on its way. */
export const hasNothing = ({ state, isStored }: Delivery): boolean => state === 'pending' && isStored !== true;

/** Returns whether a message is published, if a consumer has nothing of it. What one consumer has, the relay has published. */
function findPublication(
  deliveries: readonly Delivery[],
  { service, at }: Pick<EventReport, 'service' | 'at'>,
  { relays, services }: OrderFacts,
): Publication | undefined {
  if (!deliveries.some(hasNothing)) return undefined;
  const projections = services.flatMap(({ consumers }) => consumers.filter(({ projection }) => projection));
  // A later message, too, brings a row to this version.
  const reached = deliveries.find((one) => hasReached(one) && !projections.some(({ name }) => name === one.consumer));
  if (reached) return { state: 'published', text: `published: it has reached ${reached.consumer}` };
  return relays && judgePublication(relays, service, at);
}

/** Whether its consumer has got the message: by a record or by the effect. */
const hasReached = ({ state, isStored }: Delivery): boolean =>
  isStored === true || ['processed', 'collected', 'failed', 'discarded', 'repeated'].includes(state);

/** Maximum time for which a commit can wait in its table's stream. */
const STREAM_SECONDS = 86_400;

/** @param isUnsent whether an operator discarded the publication of its commit */
function judgeDelivery(
  sent: SentDelivery,
  { isUnsent }: { readonly isUnsent: boolean },
  { recordAt, shown, now, aggregates }: OrderFacts,
): Delivery {
  const { listener, message, commit } = sent;
  const record = findDeliveryRecord(sent, recordAt);
  if (record) return judgeRecord(listener, record, message.id);
  const { name, service, consumer } = listener;
  const plain = { consumer: name, service: service.name, messageId: message.id };
  if (consumer?.projection) {
    const version = shown.get(name);
    if (version === undefined) return { ...plain, state: 'unjudged' };
    if (version >= message.version) return { ...plain, state: 'processed' };
  }
  // The effect outlives the record. A projection commits nothing: a commit of its service belongs to another consumer.
  const effect = (consumer?.projection ? [] : aggregates)
    .flatMap((one) => (one.service === service.name ? one.commits : []))
    .find(({ trigger }) => trigger === message.id);
  if (effect) return { ...plain, state: 'processed', at: effect.at };
  if (isUnsent) return { ...plain, state: 'unsent' };
  const age = secondsBetween(commit.at, now);
  if (!consumer || age <= STREAM_SECONDS + consumer.longestRedeliverySeconds)
    return { ...plain, state: 'pending', ...describePlaces(listener) };
  const wouldBeKnown =
    consumer.projection || age <= smallestWindow(consumer.dedupeWindowSeconds, { from: commit.at, to: now });
  return { ...plain, state: wouldBeKnown ? 'lost' : 'expired' };
}

/** Returns where else than in its queue a message may be of which nothing is recorded. Its relay is asked apart from that. */
function describePlaces(listener: Listener): Pick<Delivery, 'reason'> {
  const places = listBacklogs(listener, { relay: '' }).map(({ place }) => LOCATION_RULES[place].words);
  return places.length > 1 ? { reason: places.join(', or ') } : {};
}

function judgeRecord(listener: Listener, record: ConsumerRecord, messageId: string): Delivery {
  const { name, service } = listener;
  const { attempts, expiresAt } = record;
  const plain = {
    consumer: name,
    service: service.name,
    messageId,
    ...(attempts !== undefined && { attempts }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt * 1000).toISOString() }),
  };
  const place = locateRecord(record, listener);
  switch (place) {
    case 'window':
      return { ...plain, state: 'collected', reason: `in ${record.window}` };
    case 'inbox':
    case 'timer':
      return { ...plain, state: 'pending', isStored: true };
    case 'processed':
      return { ...plain, state: 'processed', ...(record.processedAt !== undefined && { at: record.processedAt }) };
    case 'failure':
    case 'publication':
      return {
        ...plain,
        state: 'failed',
        ...(record.failedAt !== undefined && { at: record.failedAt }),
        reason: describeReason(record),
      };
    case 'discarded':
      return {
        ...plain,
        state: 'discarded',
        ...(record.discardedAt !== undefined && { at: record.discardedAt }),
        reason: `by ${record.discardedBy ?? '?'}: ${record.discardReason ?? '?'}`,
      };
    case 'repeated':
      return {
        ...plain,
        state: 'repeated',
        ...(record.failedAt !== undefined && { at: record.failedAt }),
        reason: `as ${record.repeats ?? '?'}`,
      };
    case 'outbox':
    case 'queue':
    case 'lane':
    case 'row':
      throw new Error(`a message that ${place} has is in no record`);
  }
}

/** Key of a record that the report needs. */
export interface NeededRecord {
  readonly service: Service;
  readonly pk: string;
}

/** Returns the keys of all records that the report needs, so that they can be read first. */
export const listNeededRecords = (
  services: readonly Service[],
  aggregates: readonly AggregateFacts[],
): readonly NeededRecord[] =>
  aggregates.flatMap(({ service: name, commits }) => {
    const from = services.find((one) => one.name === name);
    if (!from) return [];
    return [
      ...commits.map(({ pk, sk }) => ({ service: from, pk: recordKey(relayConsumer, `${pk}/${sk}`) })),
      ...expectedDeliveries(from, commits, { services }).flatMap((sent) =>
        deliveryKeysOf(sent, 'all').map((pk) => ({ service: sent.listener.service, pk })),
      ),
    ];
  });
