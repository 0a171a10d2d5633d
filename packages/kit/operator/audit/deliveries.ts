import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { recordKey, relayConsumer } from '../../failures/failure-records.js';
import type { Commit } from '../../messages/commit.js';
import { readItems } from '../feed.js';
import { ConsumerRecord } from '../records.js';
import { type Listener, listenersOf, recordKeysOf, type Service } from '../services.js';
import { hears, messagesOf, placeOf, type SentMessage } from './expected.js';

/** One message at one consumer that hears it. */
export interface Delivery {
  readonly listener: Listener;
  readonly commit: Commit;
  readonly message: SentMessage;
}

/** Attributes of a record that say what became of its message. */
export const Judged = z.pick(ConsumerRecord, { pk: true, status: true });
export type Judged = z.infer<typeof Judged>;

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

/** Records by the names of their tables and their keys. */
export type Records = ReadonlyMap<string, Judged>;

const keysOf = ({ listener, commit, message }: Delivery): readonly string[] =>
  recordKeysOf(listener, placeOf(commit, message));

/** Returns the record of a delivery, among those that were read. */
export const recordOf = (delivery: Delivery, records: Records): Judged | undefined =>
  keysOf(delivery)
    .map((pk) => records.get(`${delivery.listener.service.records} ${pk}`))
    .find((found) => found !== undefined);

/** Reads the records that deliveries may have. */
export async function recordsOf(
  deliveries: readonly Delivery[],
  { documents }: { readonly documents: DynamoDBDocumentClient },
  { consistent }: { readonly consistent: boolean },
): Promise<Records> {
  const wanted = new Map<string, Set<string>>();
  for (const delivery of deliveries) {
    const { records } = delivery.listener.service;
    const keys = wanted.get(records) ?? new Set();
    for (const pk of keysOf(delivery)) keys.add(pk);
    wanted.set(records, keys);
  }
  const found = await Promise.all(
    [...wanted].map(async ([table, keys]) => {
      const items = await readItems(
        documents,
        table,
        [...keys].map((pk) => ({ pk })),
        { consistent, attributes: ['pk', 'status'] },
      );
      return items.map((item) => [`${table} ${item.pk}`, z.parse(Judged, item)] as const);
    }),
  );
  return new Map(found.flat());
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
  const found = new Map(items.map((item) => [String(item.pk), z.parse(Judged, item)]));
  return new Map(
    [...commits].flatMap((commit) => {
      const record = found.get(publicationKey(commit));
      return record ? [[commit, record] as const] : [];
    }),
  );
}

const publicationKey = ({ pk, sk }: Commit): string => recordKey(relayConsumer, `${pk}/${sk}`);

/** What a record says of its message. */
export const RECORDED_STATES = ['processed', 'discarded', 'pending', 'failed'] as const;
export type RecordedState = (typeof RECORDED_STATES)[number];

export function stateOf({ status }: Judged): RecordedState {
  switch (status) {
    case 'PROCESSED':
      return 'processed';
    case 'PENDING':
      return 'pending';
    case 'DISCARDED':
      return 'discarded';
    case 'FAILED':
    case 'REPEATED':
      return 'failed';
  }
}
