import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { readItems } from '@orderly/kit/internal/aws/read-items.js';
import { recordKey, relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import * as z from 'zod/mini';
import { type Listener, listListeners, listRecordKeys, type Service } from '../deployment/services.js';
import { ConsumerRecord } from '../records/consumer-records.js';
import { isSubscribed, publishedMessages, type SentMessage, toMessagePosition } from './published-messages.js';

/** One message at one consumer that subscribes to it. */
export interface Delivery {
  readonly listener: Listener;
  readonly commit: Commit;
  readonly message: SentMessage;
}

/** Attributes of a record that say what became of its message. */
export const RecordOutcome = z.pick(ConsumerRecord, { pk: true, status: true, messageId: true, window: true });
export type RecordOutcome = z.infer<typeof RecordOutcome>;

/** Reads a record's outcome. A record that can't be read, as of another release, counts as failed: an operator looks at it. */
function parseOutcome(item: Readonly<Record<string, unknown>>): RecordOutcome {
  const { success, data } = z.safeParse(RecordOutcome, item);
  return success ? data : { pk: String(item.pk), status: 'FAILED' };
}

/** Consumers that are looked at. */
export interface ListenerFilter {
  readonly services: readonly Service[];
  /** Name of the only one. @default all */
  readonly consumer?: string | undefined;
}

/** Returns the deliveries of a page of commits. @param from service whose commits they are */
export function expectedDeliveries(
  from: Service,
  commits: readonly Commit[],
  { services, consumer }: ListenerFilter,
): readonly Delivery[] {
  const listeners = listListeners(services).filter(({ name }) => consumer === undefined || name === consumer);
  return commits.flatMap((commit) =>
    publishedMessages(commit).flatMap((message) =>
      listeners
        .filter((listener) => isSubscribed(listener, from.name, message))
        .map((listener) => ({ listener, commit, message })),
    ),
  );
}

/** Returns the messages of a page of commits that no consumer subscribes to, whichever is looked at. @param from service whose commits they are */
export function findUnsubscribedMessages(
  from: Pick<Service, 'name'>,
  commits: readonly Commit[],
  services: readonly Service[],
): readonly SentMessage[] {
  const listeners = listListeners(services);
  return commits
    .flatMap(publishedMessages)
    .filter((message) => !listeners.some((listener) => isSubscribed(listener, from.name, message)));
}

/** Returns the record of a listener's service with this key; `undefined` if there is none, or if it was not read. */
export type RecordLookup<Found extends RecordOutcome = RecordOutcome> = (
  listener: Listener,
  pk: string,
) => Found | undefined;

/** `present` for what the consumer would recognise now, `all` for what was ever processed. */
export type GenerationScope = 'present' | 'all';

/**
 * Returns the keys of the records that a delivery may have, those of the present generation first.
 * @param generations of the consumer that count
 */
export const deliveryRecordKeys = (
  { listener, commit, message }: Delivery,
  generations: GenerationScope,
): readonly string[] => {
  const counted = generations === 'all' ? downFrom(listener.generation) : [listener.generation];
  const keys = counted.flatMap((generation) =>
    listRecordKeys({ ...listener, generation }, toMessagePosition(commit, message)),
  );
  return [...new Set(keys)];
};

/** Returns the numbers from this one down to 0. */
const downFrom = (last: number): readonly number[] => Array.from({ length: last + 1 }, (_, back) => last - back);

/** Returns the record of a delivery. */
export const findDeliveryRecord = <Found extends RecordOutcome>(
  delivery: Delivery,
  recordAt: RecordLookup<Found>,
): Found | undefined =>
  deliveryRecordKeys(delivery, 'all')
    .map((pk) => recordAt(delivery.listener, pk))
    .find((found) => found !== undefined && (found.messageId ?? delivery.message.id) === delivery.message.id);

export interface RecordReadOptions {
  readonly consistent: boolean;
  readonly generations: GenerationScope;
}

/** Reads the records that deliveries may have. */
export async function readDeliveryRecords(
  deliveries: readonly Delivery[],
  { documents }: { readonly documents: DynamoDBDocumentClient },
  { consistent, generations }: RecordReadOptions,
): Promise<RecordLookup> {
  const wanted = new Map<string, Set<string>>();
  for (const delivery of deliveries) {
    const { records } = delivery.listener.service;
    const keys = wanted.get(records) ?? new Set();
    for (const pk of deliveryRecordKeys(delivery, generations)) keys.add(pk);
    wanted.set(records, keys);
  }
  const found = await Promise.all(
    [...wanted].map(async ([table, keys]) => {
      const items = await readItems(
        documents,
        table,
        [...keys].map((pk) => ({ pk })),
        { consistent, attributes: ['pk', 'status', 'messageId', 'window'] },
      );
      return items.map((item) => [`${table} ${item.pk}`, parseOutcome(item)] as const);
    }),
  );
  const records = new Map(found.flat());
  return ({ service }, pk) => records.get(`${service.records} ${pk}`);
}

/** Reads the records of commits that their relay could not publish, or that an operator discarded; strongly consistent. */
export async function readUnpublishedCommits(
  deliveries: readonly Delivery[],
  from: Service,
  { documents }: { readonly documents: DynamoDBDocumentClient },
): Promise<ReadonlyMap<Commit, RecordOutcome>> {
  const commits = new Set(deliveries.map(({ commit }) => commit));
  const keys = [...commits].map((commit) => ({ pk: publicationKey(commit) }));
  const items = await readItems(documents, from.records, keys, { consistent: true, attributes: ['pk', 'status'] });
  const found = new Map(items.map((item) => [String(item.pk), parseOutcome(item)]));
  return new Map(
    [...commits].flatMap((commit) => {
      const record = found.get(publicationKey(commit));
      return record ? [[commit, record] as const] : [];
    }),
  );
}

const publicationKey = ({ pk, sk }: Commit): string => recordKey(relayConsumer, `${pk}/${sk}`);
