import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DUE_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import { queryItems } from '@orderly/kit/internal/aws/read-items.js';
import { recordKey } from '@orderly/kit/internal/failures/failure-records.js';
import { readTimerId, stuckKey } from '@orderly/kit/internal/saga/contract.js';
import { DUE_SHARDS, duePartition } from '@orderly/kit/internal/timers/contract.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { type ListColumns, renderList } from '../cli/table.js';
import { type CommandFormatter, pluralize } from '../cli/text-format.js';
import { listFailureRecords } from '../records/consumer-records.js';
import { formatTime } from '../records/list-format.js';
import { sagaToJson } from './saga-show.js';
import { describeStep, isHeld, isLate, isWaiting, stuckSince, type WaitingState } from './saga-text.js';
import { listSagaKinds, readSaga, type Saga, type SagaKind } from './sagas.js';

/** Maximum number of timeouts that are read per kind and shard, the earliest first. */
const MAX_TIMEOUTS = 5_000;

/**
 * Urgency of a waiting saga.
 * - `STUCK`: it waits for an operator.
 * - `TIMEOUT FAILED`: its timeout failed, so it waits forever unless an answer arrives.
 * - `TIMER LATE`: its timeout should have fired.
 * - `SLOW`: its command was resent already.
 * - `WAITS`: it waits for an answer that is not due yet.
 */
type Urgency = 'STUCK' | 'TIMEOUT FAILED' | 'TIMER LATE' | 'SLOW' | 'WAITS';
const URGENCIES: readonly Urgency[] = ['STUCK', 'TIMEOUT FAILED', 'TIMER LATE', 'SLOW', 'WAITS'];

/**
 * `sagas list`: lists waiting sagas, the most urgent first. It finds stuck sagas by their list, and the others
 * by their timeouts, in the index of due timeouts or in the index of failures (`failures discard` leaves them there).
 * These reads are eventually consistent; each listed saga is then read strongly consistent. A held saga is not listed: it
 * waits for its service, and has no timeout.
 * @param limit maximum number of sagas that are read and listed, from 1
 */
export async function listSagas(
  { documents, services, command, clock }: Pick<CommandContext, 'documents' | 'services' | 'command' | 'clock'>,
  { limit }: { readonly limit: number },
): Promise<Outcome> {
  const kinds = listSagaKinds(services);
  const stuck = (await Promise.all(kinds.map((kind) => readStuckSagas(documents, kind, limit)))).flat();
  const scheduled = (await Promise.all(kinds.map((kind) => readScheduledTimeouts(documents, kind)))).flat();
  const failed = (await Promise.all(kinds.map((kind) => readFailedTimeouts(documents, kind)))).flat();
  // If a second timeout was set, the first one has fired before the answer came.
  const slowFirst = scheduled.toSorted(
    (one, other) => Number(other.number > 1) - Number(one.number > 1) || one.dueAt.localeCompare(other.dueAt),
  );
  // A stuck saga may still have a timeout, which it ignores, and a saga whose timeout failed may have a newer one.
  const all: readonly Asked[] = [...stuck, ...failed, ...slowFirst];
  const byId = new Map<string, Asked>();
  for (const one of all) if (!byId.has(keyOf(one))) byId.set(keyOf(one), one);
  const asked = [...byId.values()];
  const now = clock.now();
  const sagas = await Promise.all(asked.slice(0, limit).map(({ kind, id }) => readSaga(documents, kind, id)));
  const found = sagas
    .flatMap((saga) => {
      const hasFailed = failed.some((one) => keyOf(one) === keyOf(saga) && one.number === saga.state.timers);
      const urgency = judgeUrgency(saga, hasFailed, now);
      return urgency === undefined ? [] : [{ saga, urgency }];
    })
    .toSorted((one, other) => URGENCIES.indexOf(one.urgency) - URGENCIES.indexOf(other.urgency));
  const more = asked.length > limit;
  return {
    exitCode: Exit.OK,
    text: renderSagas(found, more ? limit : undefined, { command, now }),
    json: { sagas: found.map(({ saga, urgency }) => ({ urgency, ...sagaToJson(saga) })), more },
  };
}

interface Asked {
  readonly kind: SagaKind;
  readonly id: string;
}

const keyOf = ({ kind, id }: Asked): string => `${kind.service.name}/${kind.type}/${id}`;

/** Returns the ids of stuck sagas of a type. @param limit maximum number, of which one more is returned if there are more */
export async function readStuckSagas(
  documents: DynamoDBDocumentClient,
  kind: SagaKind,
  limit: number,
): Promise<readonly Asked[]> {
  const query = {
    TableName: kind.service.table,
    KeyConditionExpression: 'pk = :stuck',
    ExpressionAttributeValues: { ':stuck': stuckKey(kind.type) },
  };
  const { items } = await queryItems(documents, query, { limit: limit + 1 });
  return items.map(({ sk }) => ({ kind, id: String(sk) }));
}

interface Timeout extends Asked {
  readonly number: number;
}

/** Returns the timeouts that could not be delivered or handled: they will not fire any more. */
async function readFailedTimeouts(documents: DynamoDBDocumentClient, kind: SagaKind): Promise<readonly Timeout[]> {
  const { service, consumer } = kind;
  const failures = await listFailureRecords(documents, { service, consumer, ...consumer });
  return failures.flatMap(({ messageId }) => {
    const timer = readTimerId(messageId);
    return timer ? [{ kind, id: timer.sagaId, number: timer.number }] : [];
  });
}

/** A timeout with its next due time. */
type ScheduledTimeout = Timeout & { readonly dueAt: string };

async function readScheduledTimeouts(
  documents: DynamoDBDocumentClient,
  kind: SagaKind,
): Promise<readonly ScheduledTimeout[]> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => duePartition(kind.consumer.name, shard));
  const pages = await Promise.all(
    shards.map((shard) =>
      queryItems(
        documents,
        {
          TableName: kind.service.records,
          IndexName: DUE_INDEX,
          KeyConditionExpression: 'duePk = :shard',
          ExpressionAttributeValues: { ':shard': shard },
        },
        { limit: MAX_TIMEOUTS },
      ),
    ),
  );
  const prefix = recordKey(kind.consumer, '');
  return pages.flatMap(({ items }) =>
    items.flatMap(({ pk, executeAt }) => {
      const timer = readTimerId(String(pk).slice(prefix.length));
      return timer ? [{ kind, id: timer.sagaId, number: timer.number, dueAt: String(executeAt) }] : [];
    }),
  );
}

function judgeUrgency({ state }: Saga, hasFailed: boolean, now: string): Urgency | undefined {
  if (!isWaiting(state) || isHeld(state)) return undefined;
  if (state.status === 'STUCK') return 'STUCK';
  if (hasFailed) return 'TIMEOUT FAILED';
  if (isLate(state, now)) return 'TIMER LATE';
  return state.waiting.attempt > 1 ? 'SLOW' : 'WAITS';
}

function describeNext(state: WaitingState, urgency: Urgency): string {
  if (state.status === 'STUCK') return state.reason ?? '-';
  return urgency === 'TIMEOUT FAILED' ? 'nothing, until it is retried' : `sent again ${state.waiting.again}`;
}

interface Found {
  readonly saga: Saga;
  readonly urgency: Urgency;
}

const COLUMNS: ListColumns = {
  head: ['STATE', 'SAGA', 'ID', 'WAITS FOR', 'SINCE', 'ATTEMPT', 'THEN'],
  cut: ['THEN', 'WAITS FOR', 'SAGA'],
  below: ['WAITS FOR', 'ATTEMPT', 'THEN'],
};

/** @param limit set if not all were read */
function renderSagas(
  found: readonly Found[],
  limit: number | undefined,
  { command, now }: { readonly command: CommandFormatter; readonly now: string },
): string {
  const [first] = found;
  const rest = limit === undefined ? '' : `; there may be more than ${limit}: --limit <n>`;
  if (!first) return `no saga waits${rest}`;
  const rows = found.flatMap(({ saga, urgency }) => {
    const { kind, id, state } = saga;
    if (!isWaiting(state)) return [];
    const { attempt, since } = state.waiting;
    const isStuck = state.status === 'STUCK';
    return [
      [
        urgency,
        `${kind.service.name}/${kind.type}`,
        id,
        describeStep(state),
        formatTime(isStuck ? stuckSince(saga) : since, now),
        isStuck ? '-' : String(attempt),
        describeNext(state, urgency),
      ],
    ];
  });
  const counts = URGENCIES.flatMap((urgency) => {
    const count = found.filter((one) => one.urgency === urgency).length;
    return count === 0 ? [] : [`${count} ${urgency}`];
  });
  const next = command('sagas', 'show', first.saga.id);
  const shown = renderList(COLUMNS, rows);
  return `${shown}\n\n${pluralize(found.length, 'saga')} (${counts.join(', ')})${rest}\nthe first: ${next}`;
}
