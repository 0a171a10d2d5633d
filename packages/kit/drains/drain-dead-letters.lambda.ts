import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { readConsumerSince, readDedupeWindow, requireEnv, requireIntegerEnv } from '../aws/read-environment.js';
import { SafeText, safeText } from '../aws/safe-error.js';
import { count, describeError, logger, publishMetrics } from '../aws/telemetry.js';
import { type Delivery, envelopeOf, readDelivery } from '../failures/delivery.js';
import { DeadLettered, senderNotAllowedError } from '../failures/failure-kinds.js';
import { FailureRecords } from '../failures/failure-records.js';
import type { InboxSettings } from '../inbox/contract.js';
import { placeKeyIfSequential } from '../inbox/sequence-keys.js';
import { ContractViolation } from '../messages/contract.js';

const consumer = { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) };
const deliveryRules = { app: requireEnv(Env.APP), window: readDedupeWindow(), since: readConsumerSince() };
const undelivered = requireEnv(Env.UNDELIVERED);
const mode = inboxMode();
const failures = new FailureRecords(requireEnv(Env.RECORDS), consumer, (message) =>
  placeKeyIfSequential(consumer, mode, message),
);

/** Returns the mode of the consumer's inbox; `undefined` if it has none. */
function inboxMode(): InboxSettings['mode'] | undefined {
  const settings = process.env[Env.INBOX];
  return settings === undefined ? undefined : (JSON.parse(settings) as InboxSettings).mode;
}

/**
 * Drains a dead-letter queue. Each message becomes a failure record of its consumer at once, unless it was processed
 * after all. So no message stays in a dead-letter queue. A message that cannot be recorded does stay, and the queue's
 * alarm fires.
 */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const unrecorded: string[] = [];
  for (const record of Records) {
    try {
      await recordDeadLetter(record);
    } catch (error) {
      unrecorded.push(record.messageId);
      logger.error('a dead letter could not be recorded', describeError(error));
    }
  }
  publishMetrics();
  return { batchItemFailures: unrecorded.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function recordDeadLetter(record: SQSRecord): Promise<void> {
  const delivery = readDelivery(record, deliveryRules);
  const outcome = await failures.record(delivery, toFailureCause(delivery));
  if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
  const envelope = envelopeOf(delivery);
  logger.error('dead letter', { outcome, eventId: envelope?.id, eventType: envelope?.type });
}

/**
 * Returns the reason why a message was given up.
 *
 * EventBridge adds an error code to a message that it could not deliver. A command without such a code came into the
 * same queue by the rule that refuses commands from the bus. That rule also refuses the service's own source, because
 * the service sends commands to itself through its queue only. For any other message, the queue only knows that it was
 * received too often.
 */
function toFailureCause({ record, message }: Delivery): Error {
  const code = record.messageAttributes.ERROR_CODE?.stringValue;
  if (code) return new DeadLettered(SafeText.trusted(`EventBridge could not deliver it: ${code}`));
  if (message instanceof ContractViolation) return message;
  if (record.eventSourceARN === undelivered && message.to !== undefined) return senderNotAllowedError();
  return new DeadLettered(safeText`its function did not acknowledge it`);
}
