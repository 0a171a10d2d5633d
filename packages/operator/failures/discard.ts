import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { isWindowMessageId } from '@orderly/kit/internal/inbox/window-keys.js';
import { readTimerId } from '@orderly/kit/internal/saga/contract.js';
import { auditEntry, type Run } from '../audit-log/audit-log.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { type FoundRecord, findRecord } from '../records/consumer-records.js';
import { isWaiting } from '../sagas/saga-text.js';
import { readSaga } from '../sagas/sagas.js';
import { discardInSequence } from './discard-in-sequence.js';
import { describeStatus } from './failures.js';

export interface DiscardRequest {
  readonly consumer: string;
  readonly messageId: string;
  readonly reason: string;
  readonly dryRun: boolean;
}

/**
 * `failures discard`: the message will not be processed. Its record stays forever, with the reason, the
 * operator and the time, and so does the audit log. So a late delivery still counts as a duplicate, and anyone who misses the effect finds the
 * reason.
 * @throws {OperatorError} `not-found`, or `refused` if it has not failed, or is the timeout of a waiting saga
 */
export async function discard(
  context: Pick<CommandContext, 'documents' | 'services' | 'actor' | 'clock'>,
  { reason, dryRun, ...asked }: DiscardRequest,
): Promise<Outcome> {
  return discardFailure(context, await findRecord(context.documents, context.services, asked), { reason, dryRun });
}

/**
 * Discards a failure that was found.
 * @param run set for one of many messages
 * @throws {OperatorError} as {@link discard}
 */
export async function discardFailure(
  { documents, actor, clock }: Pick<CommandContext, 'documents' | 'actor' | 'clock'>,
  found: FoundRecord,
  { reason, dryRun, run }: Pick<DiscardRequest, 'reason' | 'dryRun'> & { readonly run?: Run },
): Promise<Outcome> {
  const { listener, record } = found;
  if (record.status !== 'FAILED') throw notFailed(`its status is: ${describeStatus(record)}`);
  refuseWindow(found);
  await refuseNeededTimeout(documents, found);
  if (dryRun) return outcome(found, 'dry-run', `would be discarded: ${reason}`);
  const by = await actor();
  const at = clock.now();
  // A redrive may be processing it at this moment: a processed message can't be discarded.
  const isFailed = '#status = :failed';
  const discarding = {
    TableName: listener.service.records,
    Key: { pk: record.pk },
    // Removing `failedConsumer` takes the record out of the index of failures.
    UpdateExpression:
      'SET #status = :discarded, discardReason = :reason, discardedBy = :by, discardedAt = :at REMOVE failedConsumer',
    ConditionExpression: isFailed,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':failed': 'FAILED',
      ':discarded': 'DISCARDED',
      ':reason': reason,
      ':by': by,
      ':at': at,
    },
  };
  const target = `${listener.name} ${found.messageId}`;
  const { put } = auditEntry(listener.service, { actor: by, action: 'discard', target, reason, ...run }, at);
  const writes = [{ Update: discarding }, { Put: put }];
  try {
    if (listener.consumer?.inbox?.mode === 'sequential') await discardInSequence(documents, found, writes, at);
    else await documents.send(new TransactWriteCommand({ TransactItems: writes }));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const isRefused = error.CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed');
    if (isRefused) throw notFailed('it was processed or discarded at this moment');
    const again = ['failures', 'discard', listener.name, found.messageId, '--reason', reason];
    throw new OperatorError('refused', 'Not discarded: another write of it is under way.', again, { cause: error });
  }
  return outcome(found, 'discarded', `discarded by ${by}: ${reason}`);
}

/** The messages of a window would be lost with it, and the numbers of the windows would have a gap. */
function refuseWindow({ listener, messageId }: FoundRecord): void {
  if (listener.consumer?.inbox?.mode !== 'batch' || !isWindowMessageId(messageId)) return;
  throw new OperatorError(
    'refused',
    'Not discarded: it is a window of messages. Fix what its page fails with, and let it continue.',
    ['inbox', 'retry', listener.name, messageId],
  );
}

/** A saga that gets no answer would wait forever without its timeout, and no list would show it. */
async function refuseNeededTimeout(documents: DynamoDBDocumentClient, { listener, messageId }: FoundRecord) {
  const { service, consumer } = listener;
  const timer = readTimerId(messageId);
  if (consumer?.saga === undefined || !timer) return;
  const { state } = await readSaga(documents, { type: consumer.saga, service, consumer }, timer.sagaId);
  // A stuck saga gets a new timeout when it continues, and an older timeout has a successor.
  if (!isWaiting(state) || state.status === 'STUCK' || state.timers !== timer.number) return;
  throw new OperatorError(
    'refused',
    `Not discarded: it is the timeout of ${consumer.saga} ${timer.sagaId}, which would wait for ever. A retry sets a new timeout and ends this failure.`,
    ['sagas', 'retry', timer.sagaId],
  );
}

const notFailed = (what: string): OperatorError =>
  new OperatorError('refused', `Not discarded: it has not failed; ${what}.`, ['failures', 'list']);

function outcome({ listener, messageId }: FoundRecord, result: 'discarded' | 'dry-run', detail: string): Outcome {
  return {
    exitCode: Exit.OK,
    text: `${listener.name} ${messageId}: ${detail}`,
    json: { discard: { service: listener.service.name, consumer: listener.name, messageId, result, detail } },
  };
}
