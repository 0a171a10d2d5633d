import type { Delivery } from '../failures/delivery.js';
import { ContractViolation } from '../messages/contract.js';
import { type Envelope, messageIdOf } from '../messages/envelope.js';
import type { Trace } from '../messages/trace.js';
import { decodeMessage, type Source } from './message-source.js';
import { type ProcessedRecords, processOnce } from './process-once.js';

export interface ConsumerRules {
  /** Name of the consumer's service. It acts as `service:<name>`. */
  readonly service: string;
  /** Names of the services that may send commands, besides the consumer's own service. */
  readonly commanders: readonly string[];
}

/**
 * Processes one delivery by the handler that its message has: an effect at most once, with its record; a projection
 * without one.
 * @throws {ContractViolation} if the message cannot be read, or has no handler
 * @throws {TooOld} if a duplicate might not be recognised any more
 * @throws what {@link processOnce} throws
 */
export async function processMessage(
  { message, recorded, tooOld }: Pick<Delivery, 'message' | 'recorded' | 'tooOld'>,
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
