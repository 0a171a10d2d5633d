import { clock, secondsBetween } from '../aws/clock.js';
import type { Delivery } from '../failures/delivery.js';
import { ContractViolation } from '../messages/contract.js';
import { type Envelope, messageIdOf } from '../messages/envelope.js';
import type { Trace } from '../messages/trace.js';
import { decodeMessage, type Source } from './message-source.js';
import { type ProcessedRecords, processOnce } from './process-once.js';

/**
 * Age in seconds from which a message may have been delivered before. A message usually comes within seconds; a second copy that
 * a crash, a redelivery or a replay causes usually comes later.
 */
const REPEAT_AGE_SECONDS = 60;

export interface ConsumerRules {
  /** Name of the consumer's service. It acts as `service:<name>`. */
  readonly service: string;
  /** Names of the services that may send commands, besides the consumer's own service. */
  readonly commanders: readonly string[];
}

/**
 * Processes one delivery by the handler that its message has: an effect at most once, with its record; a projection
 * without one.
 *
 * A message that may have been delivered before is looked up first, by half a read unit: its record ends it without a load and a
 * refused transaction. Without a record it proves nothing, and the transaction decides as for any other message.
 * @throws {ContractViolation} if the message cannot be read, or has no handler
 * @throws {TooOld} if a duplicate might not be recognised any more
 * @throws what {@link processOnce} throws
 */
export async function processMessage(
  { message, recorded, tooOld, attempts }: Pick<Delivery, 'message' | 'recorded' | 'tooOld' | 'attempts'>,
  sources: readonly Source[],
  records: ProcessedRecords,
  { service, commanders }: ConsumerRules,
): Promise<'applied' | 'duplicate'> {
  if (message instanceof ContractViolation) throw message;
  const { event, handle } = decodeMessage(sources, message, commanders);
  const redriven = recorded?.kind === 'redrive' ? { redriven: true as const } : {};
  const handling = handle({ envelope: message, event, trace: toMessageTrace(message, service), ...redriven });
  if ('project' in handling) {
    if (!recorded) return handling.project();
    return processOnce(message, () => handling.project().then(() => []), records, recorded);
  }
  if (tooOld && !recorded) throw tooOld;
  const mayBeRepeat = attempts > 1 || secondsBetween(message.time, clock.now()) > REPEAT_AGE_SECONDS;
  if (!recorded && mayBeRepeat && (await records.isKnown(message))) return 'duplicate';
  return processOnce(message, handling.decide, records, recorded);
}

/** Returns the trace for the writes of a handler. It names the message as their cause. */
export const toMessageTrace = (message: Envelope, service: string): Trace => ({
  trigger: messageIdOf(message),
  actor: `service:${service}`,
  onBehalfOf: message.onbehalfof ?? message.actor,
  correlationId: message.correlationid,
  traceparent: message.traceparent,
});
