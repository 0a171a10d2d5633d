import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { required, requiredInteger } from '../aws/read-environment.js';
import { count, describeError, logger, publishMetrics } from '../aws/telemetry.js';
import { ContractViolation } from '../messages/contract.js';
import { type Envelope, readEnvelope } from '../messages/envelope.js';
import { DeadLettered, senderNotAllowed, tooOldBy } from './failure-kinds.js';
import { FailureRecords, idOfBody } from './failure-records.js';
import { redriveOf } from './redrive.js';
import { storedOf } from './stored.js';

const consumer = { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) };
const window = requiredInteger(Env.DEDUPE_WINDOW_SECONDS);
const undelivered = required(Env.UNDELIVERED);
const failures = new FailureRecords(required(Env.RECORDS), consumer);

/**
 * Nothing lives in a dead-letter queue: each message becomes a failure record of its consumer at once, unless it was
 * processed after all. What can't be recorded stays in the queue, whose alarm then rings.
 */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const unrecorded: string[] = [];
  for (const record of Records) {
    try {
      await keep(record);
    } catch (error) {
      unrecorded.push(record.messageId);
      logger.error('a dead letter could not be recorded', describeError(error));
    }
  }
  publishMetrics();
  return { batchItemFailures: unrecorded.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function keep(record: SQSRecord): Promise<void> {
  const read = readOrRefuse(record.body);
  const envelope = read instanceof ContractViolation ? undefined : read;
  const id = envelope?.id ?? idOfBody(record.body);
  const error = whyGivenUp(record, read);
  if (redriveOf(record)) {
    await failures.failedAgain(id, error);
    logger.error('dead letter of a redrive', { eventId: envelope?.id, eventType: envelope?.type });
    return;
  }
  const stored = storedOf(record);
  const failure = {
    id,
    payload: record.body,
    error,
    attempts: Number(record.attributes.ApproximateReceiveCount),
    ...(envelope ? { type: envelope.type, subject: envelope.subject, correlationId: envelope.correlationid } : {}),
    ...(envelope && tooOldBy(envelope, window) ? { unknown: true } : {}),
  };
  const outcome = await (stored ? failures.end(stored, failure) : failures.put(failure));
  if (outcome === 'recorded') count('ConsumerFailures');
  logger.error('dead letter', { outcome, eventId: envelope?.id, eventType: envelope?.type });
}

/**
 * EventBridge says why it could not deliver a message. A command without such a code came into the same queue by the rule
 * that refuses commands from the bus. That rule refuses the service's own source too: the service commands itself through its
 * queue only. Of anything else a queue only knows that it was received too often.
 */
function whyGivenUp({ messageAttributes, eventSourceARN }: SQSRecord, read: Envelope | ContractViolation): Error {
  const code = messageAttributes.ERROR_CODE?.stringValue;
  if (code) return new DeadLettered(`EventBridge could not deliver it: ${code}`);
  if (read instanceof ContractViolation) return read;
  if (eventSourceARN === undelivered && read.to !== undefined) return senderNotAllowed();
  return new DeadLettered('its function did not acknowledge it');
}

function readOrRefuse(body: string): Envelope | ContractViolation {
  try {
    return readEnvelope(body);
  } catch (error) {
    if (error instanceof ContractViolation) return error;
    throw error;
  }
}
