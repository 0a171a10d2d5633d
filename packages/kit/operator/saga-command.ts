import { clock } from '../aws/clock.js';
import { newId, newTraceparent } from '../aws/ids.js';
import { recordKey } from '../failures/failure-records.js';
import { ownCommandBody } from '../messages/own-command.js';
import { COMMAND_LINE_ROLE } from '../messages/trace.js';
import { beforehand, noteResult } from './audit-log.js';
import type { CommandContext } from './context.js';
import { Exit, OperatorError } from './errors.js';
import type { Outcome } from './outcome.js';
import { reasonOf } from './records.js';
import { summaryOf } from './saga-show.js';
import { isHeld, isWaiting, sagaWords, stepWords } from './saga-words.js';
import { findSaga, readSaga, type Saga, sagaContractOf } from './sagas.js';
import { awaitRecord, sendTo, WAIT_SECONDS } from './send.js';

/** An operator's request to a saga; `note` describes what was done by hand, 1 to 500 characters. */
export type SagaRequest = { readonly sagaId: string; readonly dryRun: boolean } & (
  | { readonly action: 'retry' }
  | { readonly action: 'resolve'; readonly note: string }
);

/**
 * `sagas retry`: the saga resends the command that it waits for, a step or its compensation.
 * `sagas resolve`: the compensation at which it is stuck was done by hand, and the saga continues with the
 * rest.
 * The saga itself decides when the message arrives; it may have advanced meanwhile.
 * @throws {OperatorError} `not-found`, or `refused` if the saga's state doesn't allow it
 */
export async function commandSaga(
  {
    app,
    endpoint,
    documents,
    services,
    command,
    actor,
  }: Pick<CommandContext, 'app' | 'endpoint' | 'documents' | 'services' | 'command' | 'actor'>,
  request: SagaRequest,
): Promise<Outcome> {
  const saga = await findSaga(documents, services, request.sagaId);
  const { id, body, does } = messageTo(saga, request, { app, by: await actor() });
  const { service, consumer } = saga.kind;
  if (request.dryRun) return outcome(request, saga, 'dry-run', `would request: ${does} (${consumer.queueUrl})`);
  const key = await beforehand(documents, service, {
    actor: await actor(),
    action: request.action,
    target: `${saga.kind.type} ${saga.id}`,
    ...(request.action === 'resolve' && { reason: request.note }),
  });
  await sendTo(endpoint, consumer.queueUrl, body);
  const record = await awaitRecord(documents, service, recordKey(consumer, id), ({ status }) => status === 'FAILED');
  const now = await readSaga(documents, saga.kind, saga.id);
  await noteResult(
    documents,
    key,
    record === undefined ? 'sent' : record.status === 'PROCESSED' ? 'accepted' : 'refused',
  );
  if (record?.status === 'PROCESSED')
    return outcome(request, now, 'processed', `requested: ${does}; now: ${sagaWords(now)}`);
  if (record) {
    const discard = command('failures', 'discard', consumer.name, id, '--reason', '<why>');
    const why = `refused: ${reasonOf(record)}; now: ${sagaWords(now)}. Its failure record stays until you discard it: ${discard}`;
    return outcome(request, now, 'failed', why);
  }
  const look = command('sagas', 'show', saga.id);
  return outcome(request, now, 'sent', `sent; no result within ${WAIT_SECONDS} s. Check later: ${look}`);
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
 * @param from application, and the operator as the saga's history will show them
 * @throws {OperatorError} `refused`
 */
export function messageTo(
  saga: Saga,
  request: SagaRequest,
  { app, by }: { readonly app: string; readonly by: string },
): SagaMessage {
  const { kind, id: sagaId, state } = saga;
  const isRetry = request.action === 'retry';
  if (!isWaiting(state) || isHeld(state) || (!isRetry && state.status !== 'STUCK')) {
    const not = isRetry ? 'Not retried: it waits for nothing.' : 'Not resolved: it is not stuck.';
    throw new OperatorError('refused', `${not} It is ${state.status}: ${sagaWords(saga)}.`, ['sagas', 'show', sagaId]);
  }
  const id = newId();
  const sent = isRetry
    ? { type: 'RetrySaga', data: { sagaId } }
    : { type: 'ResolveSaga', data: { sagaId, step: state.waiting.step, by, note: request.note } };
  const body = ownCommandBody(sagaContractOf(kind.service.name), {
    app,
    id,
    subject: `${kind.type}/${sagaId}`,
    time: clock.now(),
    trace: { trigger: id, actor: `${COMMAND_LINE_ROLE}:${by}`, correlationId: id, traceparent: newTraceparent() },
    command: sent,
  });
  const what = stepWords(state);
  return { id, body, does: isRetry ? `send ${what} again` : `record that ${by} did the ${what} by hand` };
}

/** A saga that is stuck again at once still needs an operator. */
function exitAfter(result: keyof typeof EXITS, saga: Saga): Exit {
  return result === 'processed' && saga.state.status === 'STUCK' ? Exit.NEEDS_OPERATOR : EXITS[result];
}

const EXITS = { 'dry-run': Exit.OK, processed: Exit.OK, sent: Exit.PENDING, failed: Exit.NEEDS_OPERATOR } as const;

const outcome = ({ action }: SagaRequest, saga: Saga, result: keyof typeof EXITS, detail: string): Outcome => ({
  exitCode: exitAfter(result, saga),
  text: `${saga.kind.type} ${saga.id}: ${detail}`,
  json: { [action]: { result, detail, ...summaryOf(saga) } },
});
