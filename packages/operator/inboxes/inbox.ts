import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { DUE_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import { recordKey } from '@orderly/kit/internal/failures/failure-records.js';
import { isParkedPartition, parkedPartition } from '@orderly/kit/internal/inbox/contract.js';
import { isWindowMessageId } from '@orderly/kit/internal/inbox/window-keys.js';
import { retryFailedWindow } from '@orderly/kit/internal/inbox/window-retry.js';
import { DUE_SHARDS, duePartition } from '@orderly/kit/internal/timers/contract.js';
import * as z from 'zod/mini';
import { appendAuditEntry, recordResult } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { type ListColumns, renderList } from '../cli/table.js';
import { alignColumns, formatDuration, pluralize } from '../cli/text-format.js';
import { findListeners, type Listener, listListeners, type Service } from '../deployment/services.js';
import { type DiscardRequest, discard } from '../failures/discard.js';
import { showRecord } from '../failures/failures.js';
import { type RedriveRequest, redrive } from '../failures/redrive.js';
import {
  type ConsumerRecord,
  describeReason,
  type FoundRecord,
  findRecord,
  listFailureRecords,
  readRecord,
} from '../records/consumer-records.js';
import { findByPrefix, idFormatter } from '../records/list-format.js';
import type { InboxState } from './inbox-states.js';

type Context = Pick<CommandContext, 'documents' | 'services' | 'command' | 'clock'> &
  Partial<Pick<CommandContext, 'pageOn' | 'stacks' | 'environment' | 'endpoint'>>;

export interface InboxListRequest {
  readonly consumer: string | undefined;
  readonly state: InboxState | undefined;
  readonly subject: string | undefined;
}

/** `inbox list`. @throws {OperatorError} `not-found` for a consumer that doesn't exist or has no inbox */
export async function listInbox(
  { documents, services, command, clock }: Context,
  { consumer, state, subject }: InboxListRequest,
): Promise<Outcome> {
  const now = clock.now();
  const listeners = consumer === undefined ? listListeners(services).filter(hasInbox) : findInboxes(services, consumer);
  const found = (await Promise.all(listeners.map((listener) => readStoredMessages(documents, listener)))).flat();
  const asked = found
    .filter((one) => state === undefined || toInboxState(one.record, now) === state)
    .filter(({ record }) => subject === undefined || record.subject === subject)
    .toSorted((one, other) => sinceOf(one.record).localeCompare(sinceOf(other.record)));
  return {
    exitCode: Exit.OK,
    text: renderStoredMessages(asked, command, now),
    json: { messages: asked.map((one) => storedMessageToJson(one, now)) },
  };
}

const COLUMNS: ListColumns = {
  head: ['CONSUMER', 'STATE', 'AGE', 'ATTEMPTS', 'MESSAGE ID', 'TOPIC', 'SUBJECT', 'REASON'],
  cut: ['REASON', 'TOPIC', 'SUBJECT'],
  below: ['TOPIC', 'SUBJECT', 'REASON'],
};

function renderStoredMessages(found: readonly FoundRecord[], command: Context['command'], now: string): string {
  const [oldest] = found;
  if (!oldest) return 'no stored messages';
  const idOf = idFormatter(found);
  const rows = found.map((one) => renderRow(one, idOf(one), now));
  const next = command('inbox', 'show', oldest.listener.name, idOf(oldest));
  const shown = renderList(COLUMNS, rows);
  return `${shown}\n\n${pluralize(found.length, 'stored message')}; the oldest: ${next}`;
}

function renderRow({ listener, record }: FoundRecord, shownId: string, now: string): readonly string[] {
  return [
    `${listener.service.name}/${listener.name}`,
    toInboxState(record, now),
    formatDuration(Math.max(0, secondsBetween(sinceOf(record), now))),
    String(record.attempts ?? 0),
    shownId,
    record.topic ?? record.type ?? '-',
    record.subject ?? '-',
    (record.failures ?? []).length > 0 ? describeReason(record) : '',
  ];
}

/** `inbox show`. @throws {OperatorError} `not-found` */
export async function showInbox(
  context: Context,
  asked: { readonly consumer: string; readonly messageId: string; readonly payload: boolean },
): Promise<Outcome> {
  const listeners = findInboxes(context.services, asked.consumer);
  const waiting = (
    await Promise.all(listeners.map((listener) => readStoredMessages(context.documents, listener)))
  ).flat();
  // The key of a sequential inbox's record doesn't contain the id.
  const stored =
    waiting.find(({ messageId }) => messageId === asked.messageId) ?? findByPrefix(asked.messageId, waiting);
  const found = stored ?? (await findRecord(context.documents, context.services, asked));
  const { record } = found;
  const shown = await showRecord(context, found, asked);
  if (record.status !== 'PENDING') return shown;
  const state = toInboxState(record, context.clock.now());
  const rows = [
    ['state', state],
    ...(record.storedAt === undefined ? [] : [['stored', record.storedAt]]),
    ...(record.heldUntil === undefined
      ? []
      : [[state === 'running' ? 'held until' : 'paused until', record.heldUntil]]),
    ...(record.progress === undefined ? [] : [['progress', 'saved; the next attempt continues from it']]),
  ];
  return { ...shown, text: `${shown.text}\n\n${alignColumns(rows)}` };
}

/**
 * `inbox retry`: a failed message gets new attempts.
 * @throws {OperatorError} `not-found`, or `refused` with the reason why it can't or mustn't be tried again
 */
export async function retryInbox(context: CommandContext, request: RedriveRequest): Promise<Outcome> {
  const [listener] = findInboxes(context.services, request.consumer);
  if (listener && isWindowMessageId(request.messageId)) return retryWindow(context, listener, request);
  return redrive(context, request);
}

/** `inbox discard`: a failed message will not be processed. @throws {OperatorError} `not-found` or `refused` */
export async function discardInbox(context: CommandContext, request: DiscardRequest): Promise<Outcome> {
  findInboxes(context.services, request.consumer);
  return discard(context, request);
}

/** Lets the runner continue with the page of a window that failed. @throws {OperatorError} `not-found` or `refused` */
async function retryWindow(
  context: CommandContext,
  listener: Listener,
  { consumer, messageId, dryRun }: RedriveRequest,
): Promise<Outcome> {
  const { documents, command, actor, clock } = context;
  const pk = recordKey(listener, messageId);
  const record = await readRecord(documents, listener.service, pk);
  const next = ['inbox', 'list', '--consumer', consumer];
  if (!record) throw new OperatorError('not-found', `'${consumer}' has no window '${messageId}'.`, next);
  if (record.status !== 'FAILED') {
    throw new OperatorError('refused', `Not retried: it has not failed; its status is ${record.status}.`, next);
  }
  const outcome = (result: 'dry-run' | 'sent', detail: string): Outcome => ({
    exitCode: result === 'sent' ? Exit.PENDING : Exit.OK,
    text: `${consumer} ${messageId}: ${detail}`,
    json: { redrive: { service: listener.service.name, consumer, messageId, result, detail } },
  });
  if (dryRun) return outcome('dry-run', 'would continue with its next page');
  const target = `${consumer} ${messageId}`;
  const key = await appendAuditEntry(context, listener.service, { actor: await actor(), action: 'retry', target });
  await retryFailedWindow(documents, { table: listener.service.records, consumer: listener, pk, now: clock.now() });
  await recordResult(documents, key, 'sent');
  return outcome('sent', `continues with its next page. Check later: ${command('inbox', 'show', consumer, messageId)}`);
}

const hasInbox = ({ consumer }: Listener): boolean => consumer?.inbox !== undefined;

/** @throws {OperatorError} `not-found`, with the names of the inboxes */
function findInboxes(services: readonly Service[], name: string): readonly Listener[] {
  const named = findListeners(services, name);
  if (named.every(hasInbox)) return named;
  const names = listListeners(services)
    .filter(hasInbox)
    .map((listener) => listener.name);
  const others = names.length === 0 ? 'no consumer has one' : `these have one: ${names.join(', ')}`;
  throw new OperatorError('not-found', `Consumer '${name}' has no inbox; ${others}.`, ['inbox', 'list']);
}

/** Returns the messages of an inbox that have not ended, and those that have failed. */
async function readStoredMessages(
  documents: DynamoDBDocumentClient,
  listener: Listener,
): Promise<readonly FoundRecord[]> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => duePartition(listener.name, shard));
  const parked = listener.consumer?.inbox?.mode === 'sequential' ? shards.map(parkedPartition) : [];
  const keys = (
    await Promise.all([...shards, ...parked].map((shard) => readDueKeys(documents, listener.service, shard)))
  ).flat();
  const waiting: FoundRecord[] = [];
  for (const pk of keys) {
    const record = await readRecord(documents, listener.service, pk);
    if (record?.status === 'PENDING') waiting.push({ listener, record, messageId: record.messageId ?? pk });
  }
  return [...waiting, ...(await listFailureRecords(documents, listener))];
}

async function readDueKeys(documents: DynamoDBDocumentClient, { records }: Service, shard: string): Promise<string[]> {
  const keys: string[] = [];
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: records,
      IndexName: DUE_INDEX,
      KeyConditionExpression: 'duePk = :shard',
      ExpressionAttributeValues: { ':shard': shard },
    },
  );
  for await (const { Items = [] } of pages) keys.push(...Items.map(({ pk }) => z.parse(z.string(), pk)));
  return keys;
}

/** Returns the state of a stored message for operators. */
function toInboxState(
  { status, heldUntil, failures = [], runner, duePk = '' }: ConsumerRecord,
  now: string,
): InboxState {
  if (status === 'FAILED') return 'failed';
  if (heldUntil === undefined || heldUntil <= now) return isParkedPartition(duePk) ? 'parked' : 'waiting';
  return failures.length > 0 && runner === undefined ? 'paused' : 'running';
}

const sinceOf = ({ storedAt, failedAt, executeAt }: ConsumerRecord): string => storedAt ?? failedAt ?? executeAt ?? '';

/** Returns the fields of a stored message for scripts; it contains nothing of the message itself. */
function storedMessageToJson({ listener, record, messageId }: FoundRecord, now: string) {
  const { topic, subject, attempts, storedAt, executeAt, correlationId } = record;
  return {
    service: listener.service.name,
    consumer: listener.name,
    messageId,
    state: toInboxState(record, now),
    topic,
    subject,
    correlationId,
    attempts,
    storedAt,
    ...(record.status === 'PENDING' && { executeAt }),
    ...((record.failures ?? []).length > 0 && { reason: describeReason(record) }),
  };
}
