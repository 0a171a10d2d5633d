import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { DUE_INDEX, FAILED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import type { ConsumerDescription, FunctionDescription } from '@orderly/kit/internal/base/outputs.js';
import { measureInbox, parkedPartitions } from '@orderly/kit/internal/inbox/measure.js';
import { stuckKey } from '@orderly/kit/internal/saga/contract.js';
import { DUE_SHARDS, duePartition } from '@orderly/kit/internal/timers/contract.js';
import { findAuditTable } from '../auditor/audited-hours.js';
import { Watermarks } from '../auditor/watermarks.js';
import type { CommandContext } from '../cli/context.js';
import { type Pause, readPauses } from '../consumers/pauses.js';
import { clientConfig } from '../deployment/endpoint.js';
import { parseFunctions } from '../deployment/functions.js';
import type { Service } from '../deployment/services.js';
import { stackPrefix } from '../deployment/stacks.js';
import { listBacklogs } from '../records/message-locations.js';
import { createSqsClient } from '../records/message-sender.js';
import { nameParts } from './alarm-parts.js';
import { describeAlarms, type MetricsRequest, type ReadMetrics, readMetrics, toAlarms } from './metrics.js';
import { nameOf, type QueueState, readQueues, totalMessages } from './queues.js';
import { type MapFrames, readFailing } from './read-failing.js';
import {
  type AuditState,
  type ConsumerState,
  consumerKind,
  type RelayState,
  type StatusFacts,
  type SweeperState,
} from './status-facts.js';

type Context = Pick<
  CommandContext,
  'app' | 'environment' | 'endpoint' | 'clock' | 'documents' | 'stacks' | 'missingStacks' | 'services'
>;

/** Failures of one consumer that are counted at most. */
const MAX_COUNTED = 1_000;

/** Seconds from which on a lane is behind. */
const LANE_BEHIND_SECONDS = 60;

const SWEEPERS: readonly string[] = ['kit/timers/sweeper', 'kit/inbox/sweep'];
const NO_METRICS: ReadMetrics = { oldest: new Map(), lag: new Map(), tick: new Map() };

/**
 * Reads the state of an environment: its queues, indexes of failures, due timers and stuck sagas, metrics and alarms. What
 * CloudWatch refuses is listed as unread.
 * @param mapFrames replaces places in bundles by places in their sources. @default there are no source maps
 * @throws any error of SQS or DynamoDB
 */
export async function readStatus(context: Context, mapFrames: MapFrames = (frames) => frames): Promise<StatusFacts> {
  const { app, environment, endpoint, clock, stacks, missingStacks, services } = context;
  const place = { prefix: stackPrefix(app, environment), stacks: Object.keys(stacks) };
  const sqs = createSqsClient(endpoint);
  const cloudWatch = new CloudWatchClient(clientConfig(endpoint));
  const unread: string[] = [];
  const orUnread =
    (what: string) =>
    (error: unknown): undefined => {
      unread.push(`${what} (${error instanceof Error ? error.name : String(error)})`);
    };
  try {
    const now = clock.now();
    const consumers = services.flatMap((service) => service.consumers.map((consumer) => ({ service, consumer })));
    const known = consumers.flatMap(({ consumer }) => queueUrls(consumer));
    const [queues, counted, relays, audit, alarms, pauses] = await Promise.all([
      readQueues(sqs, { ...place, known }),
      Promise.all(
        consumers.map(({ service, consumer }) => countConsumerWork(context.documents, service, consumer, now)),
      ),
      Promise.all(
        services.map(async (service) => ({ service, ...(await countFailures(context.documents, service, 'relay')) })),
      ),
      readAuditState(context),
      describeAlarms(cloudWatch, place)
        .then(async (described) => {
          const found = toAlarms(described);
          return { ...found, active: await nameParts(cloudWatch, found.active, { described, now }) };
        })
        .catch(orUnread('alarms')),
      Promise.all(services.map((service) => readPauses(context.documents, service))),
    ]);
    const paused = new Map(pauses.flatMap((own) => [...own]));
    const functions = parseFunctions(stacks);
    const sweepers = functions.filter(({ entry }) => SWEEPERS.includes(entry));
    const asked: MetricsRequest = {
      queues: queues.filter((queue) => totalMessages(queue) > 0).map(({ name }) => name),
      relays: [
        ...services.map(({ relay }) => relay),
        ...consumers.flatMap(({ consumer }) => listStreamReaders(consumer)),
      ],
      sweepers: sweepers.map(({ name }) => name),
    };
    const metrics = (await readMetrics(cloudWatch, asked, now).catch(orUnread('metrics'))) ?? NO_METRICS;
    const byName = new Map(queues.map((queue) => [queue.name, queue]));
    const deadLetters = queues.filter(({ isDeadLetters }) => isDeadLetters);
    const states = {
      consumers: consumers.map(({ service, consumer }, at) =>
        consumerState(service, consumer, {
          queues: byName,
          counted: counted[at],
          metrics,
          pause: paused.get(consumer.name),
        }),
      ),
      relays: relays.map(({ service, failed, more }) => relayState(service, { failed, more, metrics })),
    };
    const triedFor = new Map(
      consumers.flatMap(({ consumer: { name, queueUrl } }) => {
        const { triedForSeconds } = byName.get(nameOf(queueUrl)) ?? {};
        return triedForSeconds === undefined ? [] : [[name, triedForSeconds] as const];
      }),
    );
    const state = { app, environment, endpoint, prefix: place.prefix, now, functions, ...states, triedFor, mapFrames };
    const failing = await readFailing(cloudWatch, state, orUnread('log of functions that fail')).catch(
      orUnread('failed calls'),
    );
    return {
      now,
      ...states,
      failing: failing ?? [],
      sweepers: sweepers.map((sweeper) => sweeperState(sweeper, metrics)),
      deadLetters: {
        queues: deadLetters.length,
        filled: deadLetters
          .filter((queue) => totalMessages(queue) > 0)
          .map((queue) => ({ queue: queue.name, messages: totalMessages(queue), ...oldestAge([queue.name], metrics) })),
      },
      ...(audit && { audit }),
      ...(alarms && { alarms }),
      unread,
      ...(missingStacks && { missingStacks }),
    };
  } finally {
    sqs.destroy();
    cloudWatch.destroy();
  }
}

const queueUrls = ({ queueUrl, inbox }: ConsumerDescription): readonly string[] => [
  queueUrl,
  ...(inbox ? [inbox.queueUrl] : []),
];

/** Returns the age of the oldest message in some queues, as far as CloudWatch tells it. */
function oldestAge(queues: readonly string[], { oldest }: ReadMetrics): { readonly oldestSeconds?: number } {
  const ages = queues.flatMap((name) => oldest.get(name) ?? []);
  return ages.length === 0 ? {} : { oldestSeconds: Math.max(...ages) };
}

interface Counts {
  readonly failed: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
  readonly inbox?: { readonly pending: number; readonly parked: number; readonly oldestSeconds: number };
  readonly lateSeconds?: number;
  readonly stuck?: number;
}

async function countConsumerWork(
  documents: DynamoDBDocumentClient,
  service: Service,
  { name, inbox, saga }: ConsumerDescription,
  now: string,
): Promise<Counts> {
  const parked = inbox?.mode === 'sequential' ? parkedPartitions(name) : [];
  const [failures, measured, late, stuck] = await Promise.all([
    countFailures(documents, service, name),
    inbox && measureInbox(documents, { table: service.records, owner: name, parked }, now),
    (inbox ?? saga) === undefined ? undefined : readLateness(documents, service, name, now),
    saga === undefined ? undefined : countStuckSagas(documents, service, saga),
  ]);
  return {
    ...failures,
    ...(measured && { inbox: measured }),
    ...(late !== undefined && { lateSeconds: late }),
    ...(stuck !== undefined && { stuck }),
  };
}

/** Counts the failures of a consumer. It reads at most one page: about a megabyte, or {@link MAX_COUNTED}. */
async function countFailures(documents: DynamoDBDocumentClient, { records }: Service, consumer: string) {
  const { Count = 0, LastEvaluatedKey } = await documents.send(
    new QueryCommand({
      TableName: records,
      IndexName: FAILED_INDEX,
      KeyConditionExpression: 'failedConsumer = :name',
      ExpressionAttributeValues: { ':name': consumer },
      Select: 'COUNT',
      Limit: MAX_COUNTED,
    }),
  );
  return { failed: Count, more: LastEvaluatedKey !== undefined };
}

/** Returns the seconds by which the most overdue of what a consumer has stored is late; 0 if nothing is. */
async function readLateness(documents: DynamoDBDocumentClient, { records }: Service, name: string, now: string) {
  const firsts = await Promise.all(
    Array.from({ length: DUE_SHARDS }, (_, shard) =>
      documents.send(
        new QueryCommand({
          TableName: records,
          IndexName: DUE_INDEX,
          KeyConditionExpression: 'duePk = :shard',
          ExpressionAttributeValues: { ':shard': duePartition(name, shard) },
          Limit: 1,
        }),
      ),
    ),
  );
  const due = firsts.flatMap(({ Items = [] }) => Items.map(({ executeAt }) => String(executeAt)));
  return Math.max(0, ...due.map((at) => Math.round(secondsBetween(at, now))));
}

/** Counts the sagas that wait for an operator. It reads at most a megabyte of their list. */
async function countStuckSagas(documents: DynamoDBDocumentClient, { table }: Service, saga: string): Promise<number> {
  const { Count = 0 } = await documents.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :stuck',
      ExpressionAttributeValues: { ':stuck': stuckKey(saga) },
      Select: 'COUNT',
    }),
  );
  return Count;
}

/** Names of the functions that read what is stored for a consumer from a stream. */
const listStreamReaders = (consumer: ConsumerDescription): readonly string[] =>
  listBacklogs({ consumer }, { relay: '' }).flatMap(({ backlog }) =>
    backlog.kind === 'stream' ? [backlog.reader] : [],
  );

function consumerState(
  { name: service }: Service,
  description: ConsumerDescription,
  read: {
    readonly queues: ReadonlyMap<string, QueueState>;
    readonly counted: Counts | undefined;
    readonly metrics: ReadMetrics;
    readonly pause: Pause | undefined;
  },
): ConsumerState {
  const { failed = 0, more = false, inbox, lateSeconds, stuck } = read.counted ?? {};
  const own = read.queues.get(nameOf(description.queueUrl));
  const work = description.inbox && read.queues.get(nameOf(description.inbox.queueUrl));
  const queue = oldestAge([nameOf(description.queueUrl)], read.metrics).oldestSeconds;
  const lags = listStreamReaders(description).map((reader) => read.metrics.lag.get(reader)?.lagSeconds ?? 0);
  // A message of an inbox's second queue is counted where it is stored. Requests of a lane have no number.
  const ages = [
    ...(queue === undefined ? [] : [queue]),
    ...(inbox && inbox.pending > 0 && !description.inbox?.waitsForOthers ? [inbox.oldestSeconds] : []),
    ...lags.filter((lag) => lag >= LANE_BEHIND_SECONDS),
  ];
  return {
    service,
    consumer: description.name,
    kind: consumerKind(description),
    pending: (own?.visible ?? 0) + (own?.delayed ?? 0) + (inbox?.pending ?? 0),
    inFlight: (own?.inFlight ?? 0) + (work?.inFlight ?? 0),
    ...(ages.length > 0 && { oldestSeconds: Math.max(...ages) }),
    failed,
    moreFailed: more,
    ...(inbox && { parked: inbox.parked }),
    ...(lateSeconds !== undefined && { lateSeconds }),
    ...(stuck !== undefined && { stuck }),
    ...(read.pause && { paused: { since: read.pause.since, by: read.pause.by, reason: read.pause.reason } }),
  };
}

function relayState(
  { name: service, relay }: Service,
  { failed, more, metrics }: { readonly failed: number; readonly more: boolean; readonly metrics: ReadMetrics },
): RelayState {
  const { lagSeconds } = metrics.lag.get(relay) ?? {};
  return { service, ...(lagSeconds !== undefined && { lagSeconds }), failed, moreFailed: more };
}

function sweeperState({ service, consumer = '', name }: FunctionDescription, { tick }: ReadMetrics): SweeperState {
  const lastTick = tick.get(name);
  return { service, consumer, ...(lastTick !== undefined && { lastTick }) };
}

/** Reads how far the delivery audit is. @returns nothing where none is deployed */
async function readAuditState({ documents, stacks }: Context): Promise<AuditState | undefined> {
  const table = findAuditTable(stacks);
  if (table === undefined) return undefined;
  const watermarks = new Watermarks(documents, table);
  const [marks, followed] = await Promise.all([watermarks.all(() => undefined), watermarks.followed()]);
  const [auditedUntil] = marks.map((mark) => mark.auditedUntil).toSorted();
  return { ...(auditedUntil !== undefined && { auditedUntil }), followed };
}
