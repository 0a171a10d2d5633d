import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { smallestWindow } from '@orderly/kit/internal/aws/dedupe-window.js';
import type { Commit } from '@orderly/kit/internal/messages/commit.js';
import type { Service } from '../deployment/services.js';
import type { RebuildTarget } from '../projections/rebuilder-client.js';
import { type Backlog, LOCATION_RULES, listBacklogs, recordedState } from '../records/message-locations.js';
import type { SendMessage } from '../records/message-sender.js';
import {
  type Delivery,
  expectedDeliveries,
  findDeliveryRecord,
  readDeliveryRecords,
  readUnpublishedCommits,
} from './deliveries.js';

/** States of a delivery, from the best to the worst. */
export const DELIVERY_STATES = [
  'processed',
  'discarded',
  'expired',
  'too new',
  'pending',
  'failed',
  'missing',
] as const;

/**
 * State of one message at one consumer.
 * - `processed`: its record says so; at a projection, the row shows it.
 * - `discarded`: an operator has ended it, or its publication, without an effect.
 * - `expired`: it is older than records are kept, so that nobody can tell any more.
 * - `too new`: it has no record yet, and is younger than the grace time.
 * - `pending`: it is stored, or there is a backlog in which it may be: of its relay, its queue or its lane (`places.ts`).
 * - `failed`: it has a failure record, or its publication has one.
 * - `missing`: none of these: it was lost.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface JudgedDelivery extends Delivery {
  readonly state: DeliveryState;
  /** Whether it may still be on its way: no record says what became of it, and it is too early to call it missing. */
  readonly isOpen: boolean;
}

/** Returns why a missing delivery is sent again, for the audit log. */
export const describeResendReason = ({ commit }: JudgedDelivery): string =>
  `no record of it, and no backlog in which it may be, since its commit of ${commit.at}`;

/** Clock, queues and functions that an audit asks. */
export interface AuditTransports {
  /** Returns the time, in ISO 8601, UTC. */
  now(): string;
  /** Returns the number of messages of a queue, visible or not. */
  countMessages(queueUrl: string): Promise<number>;
  /** Returns the age of the oldest message of a queue in seconds, as its metric of the last minutes says; 0 if it says nothing. */
  oldestMessageAge(queueUrl: string): Promise<number>;
  /**
   * Returns how far a function is behind in the stream that it reads, in seconds, as its metric of the last minutes says; 0 if it
   * says nothing.
   */
  readerLag(reader: string): Promise<number>;
  /** Returns the versions of aggregates that a projection shows. @param ids of the aggregates */
  shown(projection: RebuildTarget, ids: readonly string[]): Promise<Readonly<Record<string, number>>>;
}

/**
 * Returns transports that leave their own messages out of a queue's backlog: otherwise what an audit sends again would pass for the
 * backlog in which the next missing ones may be.
 */
export function excludeOwnMessages<T extends AuditTransports & { readonly send: SendMessage }>(transports: T): T {
  const sent = new Map<string, number>();
  const send: SendMessage = async (queueUrl, ...message) => {
    await transports.send(queueUrl, ...message);
    sent.set(queueUrl, (sent.get(queueUrl) ?? 0) + 1);
  };
  const messagesIn = async (queueUrl: string): Promise<number> =>
    Math.max(0, (await transports.countMessages(queueUrl)) - (sent.get(queueUrl) ?? 0));
  return { ...transports, send, countMessages: messagesIn };
}

export interface JudgeContext {
  readonly documents: DynamoDBDocumentClient;
  readonly services: readonly Service[];
  /** An audit that sends messages leaves them out of the backlogs ({@link excludeOwnMessages}). */
  readonly transports: AuditTransports;
  /** Seconds within which a message may be on its way: without a record it is too new to tell. */
  readonly graceSeconds: number;
  /** Name of the only consumer that is looked at. @default all */
  readonly consumer?: string | undefined;
}

/**
 * Seconds from a message's commit until it is in its consumer's queue, at most: a relay may be behind, and the metric of the
 * queue's oldest message is minutes old. A queue whose oldest message was sent later does not have it any more. So one that is
 * never empty, because it is busy, hides a loss for as long and no longer.
 */
const BACKLOG_SECONDS = 3_600;
/** Seconds from which on a reader of a stream is behind: one that is not reads what was written some seconds ago. */
const BEHIND_SECONDS = 60;

/**
 * Judges the deliveries of a page of commits. It reads the records of a page eventually consistent, and those that it did
 * not find again, consistent. What an earlier generation of a consumer has processed counts as processed: only an operator
 * has it processed again.
 * @param from service whose commits they are
 */
export async function judgeDeliveries(
  from: Service,
  commits: readonly Commit[],
  judging: JudgeContext,
): Promise<readonly JudgedDelivery[]> {
  const deliveries = expectedDeliveries(from, commits, judging);
  const known = await readDeliveryRecords(deliveries, judging, { consistent: false, generations: 'present' });
  const recorded = new Map(deliveries.map((one) => [one, findDeliveryRecord(one, known)] as const));
  const open = deliveries.filter((one) => recorded.get(one) === undefined);
  const shown = await readShownVersionsByDelivery(open, judging);
  const now = judging.transports.now();
  const late = open.filter((one) => {
    const isShown = (shown.get(one) ?? 0) >= one.message.version;
    return !isShown && secondsBetween(one.commit.at, now) > judging.graceSeconds;
  });
  const newest = await readDeliveryRecords(late, judging, { consistent: true, generations: 'all' });
  const unpublished = await readUnpublishedCommits(late, from, judging);
  const { transports } = judging;
  const messagesIn = memoizeByName((queueUrl) => transports.countMessages(queueUrl));
  const oldestIn = memoizeByName((queueUrl) => transports.oldestMessageAge(queueUrl));
  const lagOf = memoizeByName((reader) => transports.readerLag(reader));
  const mayContain = async (backlog: Backlog, age: number): Promise<boolean> => {
    if (backlog.kind === 'stream') {
      const lag = await lagOf(backlog.reader);
      return lag >= BEHIND_SECONDS && lag >= age - BACKLOG_SECONDS;
    }
    if ((await messagesIn(backlog.url)) === 0) return false;
    return age <= BACKLOG_SECONDS || (await oldestIn(backlog.url)) >= age - BACKLOG_SECONDS;
  };
  return Promise.all(
    deliveries.map(async (one) => {
      const is = (state: DeliveryState, isOpen = false): JudgedDelivery => ({ ...one, state, isOpen });
      const record = recorded.get(one) ?? findDeliveryRecord(one, newest);
      if (record) return is(recordedState(record, one.listener));
      const { consumer } = one.listener;
      if ((shown.get(one) ?? 0) >= one.message.version) return is(LOCATION_RULES.row.state);
      if (!late.includes(one) || !consumer) return is('too new', true);
      const { at } = one.commit;
      const age = secondsBetween(at, now);
      const keeps = smallestWindow(consumer.dedupeWindowSeconds, { from: at, to: now });
      if (!consumer.projection && age > keeps) return is('expired');
      const publication = unpublished.get(one.commit);
      if (publication) return is(recordedState(publication, {}));
      for (const { place, backlog } of listBacklogs(one.listener, from))
        if (await mayContain(backlog, age)) return is(LOCATION_RULES[place].state, true);
      return is('missing');
    }),
  );
}

/** Returns a function that asks about each queue or function at most once. */
function memoizeByName(ask: (name: string) => Promise<number>): (name: string) => Promise<number> {
  const answers = new Map<string, Promise<number>>();
  return (name) => {
    const answer = answers.get(name) ?? ask(name);
    answers.set(name, answer);
    return answer;
  };
}

/** Asks projections which versions they show. */
async function readShownVersionsByDelivery(
  deliveries: readonly Delivery[],
  { transports }: JudgeContext,
): Promise<ReadonlyMap<Delivery, number>> {
  const shown = new Map<Delivery, number>();
  for (const listener of new Set(deliveries.map((one) => one.listener))) {
    const { name, consumer: { rebuild } = {} } = listener;
    if (rebuild === undefined) continue;
    const asked = deliveries.filter((one) => one.listener === listener);
    const versions = await transports.shown({ name, rebuild }, [...new Set(asked.map(idOf))]);
    for (const one of asked) shown.set(one, versions[idOf(one)] ?? 0);
  }
  return shown;
}

/** Returns the id of a delivery's aggregate. */
const idOf = ({ commit: { pk } }: Delivery): string => pk.slice(pk.indexOf('#') + 1);
