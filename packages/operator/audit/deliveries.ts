import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { readItems } from '@orderly/kit/internal/aws/reading.js';
import { recordKey, relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import * as z from 'zod/mini';
import { type Listener, listenersOf, recordKeysOf, type Service } from '../deployment/services.js';
import { ConsumerRecord } from '../records/records.js';
import { hears, messagesOf, placeOf, type SentMessage } from './expected.js';

/** One message at one consumer that hears it. */
export interface Delivery {
  readonly listener: Listener;
  readonly commit: Commit;
  readonly message: SentMessage;
}

/** Attributes of a record that say what became of its message. */
export const Judged = z.pick(ConsumerRecord, { pk: true, status: true, messageId: true, window: true });
export type Judged = z.infer<typeof Judged>;

/** Reads a record's outcome. A record that can't be read, as of another release, counts as failed: an operator looks at it. */
function judgedIn(item: Readonly<Record<string, unknown>>): Judged {
  const { success, data } = z.safeParse(Judged, item);
  return success ? data : { pk: String(item.pk), status: 'FAILED' };
}

/** Consumers that are looked at. */
export interface Listening {
  readonly services: readonly Service[];
  /** Name of the only one. @default all */
  readonly consumer?: string | undefined;
}

/** Returns the deliveries of a page of commits. @param from service whose commits they are */
export function deliveriesOf(
  from: Service,
  commits: readonly Commit[],
  { services, consumer }: Listening,
): readonly Delivery[] {
  const listeners = listenersOf(services).filter(({ name }) => consumer === undefined || name === consumer);
  return commits.flatMap((commit) =>
    messagesOf(commit).flatMap((message) =>
      listeners
        .filter((listener) => hears(listener, from.name, message))
        .map((listener) => ({ listener, commit, message })),
    ),
  );
}

/** Returns the messages of a page of commits that no consumer hears, whichever is looked at. @param from service whose commits they are */
export function unheardIn(
  from: Pick<Service, 'name'>,
  commits: readonly Commit[],
  services: readonly Service[],
): readonly SentMessage[] {
  const listeners = listenersOf(services);
  return commits
    .flatMap(messagesOf)
    .filter((message) => !listeners.some((listener) => hears(listener, from.name, message)));
}

/** Returns the record of a listener's service with this key; `undefined` if there is none, or if it was not read. */
export type RecordAt<Found extends Judged = Judged> = (listener: Listener, pk: string) => Found | undefined;

/** `present` for what the consumer would recognise now, `all` for what was ever processed. */
export type Generations = 'present' | 'all';

/**
 * Returns the keys of the records that a delivery may have, those of the present generation first.
 * @param generations of the consumer that count
 */
export const keysOf = ({ listener, commit, message }: Delivery, generations: Generations): readonly string[] => {
  const counted = generations === 'all' ? downFrom(listener.generation) : [listener.generation];
  const keys = counted.flatMap((generation) => recordKeysOf({ ...listener, generation }, placeOf(commit, message)));
  return [...new Set(keys)];
};

/** Returns the numbers from this one down to 0. */
const downFrom = (last: number): readonly number[] => Array.from({ length: last + 1 }, (_, back) => last - back);

/** Returns the record of a delivery. */
export const recordOf = <Found extends Judged>(delivery: Delivery, recordAt: RecordAt<Found>): Found | undefined =>
  keysOf(delivery, 'all')
    .map((pk) => recordAt(delivery.listener, pk))
    .find((found) => found !== undefined && (found.messageId ?? delivery.message.id) === delivery.message.id);

export interface RecordsToRead {
  readonly consistent: boolean;
  readonly generations: Generations;
}

/** Reads the records that deliveries may have. */
export async function recordsOf(
  deliveries: readonly Delivery[],
  { documents }: { readonly documents: DynamoDBDocumentClient },
  { consistent, generations }: RecordsToRead,
): Promise<RecordAt> {
  const wanted = new Map<string, Set<string>>();
  for (const delivery of deliveries) {
    const { records } = delivery.listener.service;
    const keys = wanted.get(records) ?? new Set();
    for (const pk of keysOf(delivery, generations)) keys.add(pk);
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
      return items.map((item) => [`${table} ${item.pk}`, judgedIn(item)] as const);
    }),
  );
  const records = new Map(found.flat());
  return ({ service }, pk) => records.get(`${service.records} ${pk}`);
}

/** Reads the records of commits that their relay could not publish, or that an operator discarded; strongly consistent. */
export async function unpublishedAmong(
  deliveries: readonly Delivery[],
  from: Service,
  { documents }: { readonly documents: DynamoDBDocumentClient },
): Promise<ReadonlyMap<Commit, Judged>> {
  const commits = new Set(deliveries.map(({ commit }) => commit));
  const keys = [...commits].map((commit) => ({ pk: publicationKey(commit) }));
  const items = await readItems(documents, from.records, keys, { consistent: true, attributes: ['pk', 'status'] });
  const found = new Map(items.map((item) => [String(item.pk), judgedIn(item)]));
  return new Map(
    [...commits].flatMap((commit) => {
      const record = found.get(publicationKey(commit));
      return record ? [[commit, record] as const] : [];
    }),
  );
}

const publicationKey = ({ pk, sk }: Commit): string => recordKey(relayConsumer, `${pk}/${sk}`);
