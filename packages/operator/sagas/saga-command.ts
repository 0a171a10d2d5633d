import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { newId, newTraceparent } from '@orderly/kit/internal/aws/ids.js';
import { recordKey } from '@orderly/kit/internal/failures/failure-records.js';
import { buildOwnCommandBody } from '@orderly/kit/internal/messages/own-command.js';
import { COMMAND_LINE_ROLE } from '@orderly/kit/internal/messages/trace.js';
import { appendAuditEntry, type Run, recordResult } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { type ConsumerRecord, describeReason } from '../records/consumer-records.js';
import {
  MAX_WAIT_SECONDS,
  POLL_INTERVAL_SECONDS,
  pollRecord,
  type SendMessage,
  type Sleep,
  sleep,
  withSender,
} from '../records/message-sender.js';
import { sagaToJson } from './saga-show.js';
import { describeSaga, describeStep, isHeld, isWaiting } from './saga-text.js';
import { findSaga, readSaga, type Saga, sagaContract } from './sagas.js';

/** An operator's request to a saga; `note` describes what was done by hand, 1 to 500 characters. */
export type SagaRequest = { readonly sagaId: string; readonly dryRun: boolean } & (
  | { readonly action: 'retry' }
  | { readonly action: 'resolve'; readonly note: string }
);

/** Context of these commands. */
export type SagaCommandContext = Pick<
  CommandContext,
  'app' | 'endpoint' | 'documents' | 'services' | 'command' | 'actor' | 'clock'
> & {
  readonly wait?: Sleep;
  /** Whether the operator stopped: then nothing is waited for. @default never */
  readonly stopped?: () => boolean;
};

/**
 * `sagas retry`: the saga resends the command that it waits for, a step or its compensation. The command waits for what comes
 * of it: the saga continues, is stuck again, or has no answer in time.
 * `sagas resolve`: the compensation at which it is stuck was done by hand, and the saga continues with the
 * rest.
 * The saga itself decides when the message arrives; it may have advanced meanwhile.
 * @throws {OperatorError} `not-found`, or `refused` if the saga's state doesn't allow it
 */
export async function commandSaga(context: SagaCommandContext, request: SagaRequest): Promise<Outcome> {
  const { app, endpoint, documents, services, command, actor, clock } = context;
  const saga = await findSaga(documents, services, request.sagaId);
  if (request.dryRun) {
    const { does } = buildSagaMessage(saga, request, { app, by: await actor(), time: clock.now() });
    return outcome(request, saga, 'dry-run', `would request: ${does} (${saga.kind.consumer.queueUrl})`);
  }
  return withSender(endpoint, async (send) => {
    const { id, does, now, result, record } = await requestSaga({ ...context, send }, saga, request);
    if (result === 'processed' || result === 'unanswered') {
      const yet = result === 'unanswered' ? `; no answer within ${MAX_WAIT_SECONDS} s` : '';
      return outcome(request, now, result, `requested: ${does}${yet}; now: ${describeSaga(now)}`);
    }
    if (record) {
      const discard = command('failures', 'discard', saga.kind.consumer.name, id, '--reason', '<why>');
      const why = `refused: ${describeReason(record)}; now: ${describeSaga(now)}. Its failure record stays until you discard it: ${discard}`;
      return outcome(request, now, 'failed', why);
    }
    const look = command('sagas', 'show', saga.id);
    return outcome(request, now, 'sent', `sent; no result within ${MAX_WAIT_SECONDS} s. Check later: ${look}`);
  });
}

/** Result of a request to a saga. */
export interface SagaRequestResult {
  /** Id of the message. */
  readonly id: string;
  readonly does: string;
  /** The saga afterwards. */
  readonly now: Saga;
  readonly result: 'sent' | 'failed' | 'unanswered' | 'processed';
  /** Record of the message; absent if there is none yet. */
  readonly record?: ConsumerRecord | undefined;
}

/**
 * Sends a request to a saga, with its entry in the audit log, and waits for what comes of it.
 * @param run run over a group, for the audit log. @default it is the only one
 * @throws {OperatorError} `refused` if the saga's state doesn't allow it
 */
export async function requestSaga(
  context: Omit<SagaCommandContext, 'endpoint'> & { readonly send: SendMessage },
  saga: Saga,
  request: SagaRequest,
  run: Run = {},
): Promise<SagaRequestResult> {
  const { app, documents, actor, clock, send, wait = sleep, stopped = () => false } = context;
  const by = await actor();
  const { id, body, does } = buildSagaMessage(saga, request, { app, by, time: clock.now() });
  const { service, consumer } = saga.kind;
  const key = await appendAuditEntry(context, service, {
    actor: by,
    action: request.action,
    target: `${saga.kind.type} ${saga.id}`,
    ...(request.action === 'resolve' && { reason: request.note }),
    ...run,
  });
  await send(consumer.queueUrl, body);
  const pk = recordKey(consumer, id);
  const record = await pollRecord(documents, service, pk, ({ status }) => status === 'FAILED', wait, stopped);
  const isAccepted = record?.status === 'PROCESSED';
  const now =
    isAccepted && request.action === 'retry'
      ? await afterAnswer(documents, saga, wait, stopped)
      : await readSaga(documents, saga.kind, saga.id);
  const isUnanswered = request.action === 'retry' && waitsForAnswer(now.state, saga.state);
  const result = record === undefined ? 'sent' : !isAccepted ? 'failed' : isUnanswered ? 'unanswered' : 'processed';
  await recordResult(documents, key, result === 'processed' ? `now ${now.state.status}` : RESULT_WORDS[result]);
  return { id, does, now, result, record };
}

const RESULT_WORDS = { sent: 'sent', failed: 'refused', unanswered: 'no answer yet' } as const;

/** Whether a saga still waits for the same answer as before, and is not stuck. */
const waitsForAnswer = (now: Saga['state'], before: Saga['state']): boolean =>
  isWaiting(now) && now.status !== 'STUCK' && isWaiting(before) && now.waiting.step === before.waiting.step;

/** Polls a saga whose command was sent again until it has an answer, the time is over, or the operator stops. */
async function afterAnswer(
  documents: DynamoDBDocumentClient,
  before: Saga,
  wait: Sleep,
  stopped: () => boolean,
): Promise<Saga> {
  let now = await readSaga(documents, before.kind, before.id);
  for (
    let waited = 0;
    waitsForAnswer(now.state, before.state) && waited < MAX_WAIT_SECONDS;
    waited += POLL_INTERVAL_SECONDS
  ) {
    await wait(POLL_INTERVAL_SECONDS);
    now = await readSaga(documents, before.kind, before.id);
    if (stopped()) break;
  }
  return now;
}

/** A message to a saga's consumer, and its effect in words. */
interface SagaMessage {
  /** Message id; each request has its own. */
  readonly id: string;
  readonly body: string;
  readonly does: string;
}

/**
 * Builds the message if the saga's state allows it.
 * @param from application, the operator as the saga's history will show them, and the time of the request (ISO 8601)
 * @throws {OperatorError} `refused`
 */
export function buildSagaMessage(
  saga: Saga,
  request: SagaRequest,
  { app, by, time }: { readonly app: string; readonly by: string; readonly time: string },
): SagaMessage {
  const { kind, id: sagaId, state } = saga;
  const isRetry = request.action === 'retry';
  if (!isWaiting(state) || isHeld(state) || (!isRetry && state.status !== 'STUCK')) {
    const not = isRetry ? 'Not retried: it waits for nothing.' : 'Not resolved: it is not stuck.';
    throw new OperatorError('refused', `${not} It is ${state.status}: ${describeSaga(saga)}.`, [
      'sagas',
      'show',
      sagaId,
    ]);
  }
  const id = newId(Date.parse(time));
  const sent = isRetry
    ? { type: 'RetrySaga', data: { sagaId } }
    : { type: 'ResolveSaga', data: { sagaId, step: state.waiting.step, by, note: request.note } };
  const body = buildOwnCommandBody(sagaContract(kind.service.name), {
    app,
    id,
    subject: `${kind.type}/${sagaId}`,
    time,
    trace: { trigger: id, actor: `${COMMAND_LINE_ROLE}:${by}`, correlationId: id, traceparent: newTraceparent() },
    command: sent,
  });
  const what = describeStep(state);
  return { id, body, does: isRetry ? `send ${what} again` : `record that ${by} did the ${what} by hand` };
}

/** A saga that is stuck again at once still needs an operator. */
function exitAfter(result: keyof typeof EXITS, saga: Saga): Exit {
  return result === 'processed' && saga.state.status === 'STUCK' ? Exit.NEEDS_OPERATOR : EXITS[result];
}

const EXITS = {
  'dry-run': Exit.OK,
  processed: Exit.OK,
  unanswered: Exit.PENDING,
  sent: Exit.PENDING,
  failed: Exit.NEEDS_OPERATOR,
} as const;

const outcome = ({ action }: SagaRequest, saga: Saga, result: keyof typeof EXITS, detail: string): Outcome => ({
  exitCode: exitAfter(result, saga),
  text: `${saga.kind.type} ${saga.id}: ${detail}`,
  json: { [action]: { result, detail, ...sagaToJson(saga) } },
});
