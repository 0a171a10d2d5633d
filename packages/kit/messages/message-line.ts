import { clock, secondsBetween } from '../aws/clock.js';
import { AGE_FIELD } from '../aws/metric-names.js';
import { logOutcome } from '../aws/telemetry.js';
import { aggregateOf, type Envelope } from './envelope.js';

/**
 * Fields of the one log line that a delivery of a message leaves at a consumer, an inbox or a lane. Whoever adds a field adds it
 * here: `npm run cost` counts its bytes about 25 times an order.
 *
 * The cause and the `traceparent` of a message aren't among them. Its commit has both, and `orderly order` and the traces show them.
 */
export interface MessageLine {
  readonly consumer: string;
  readonly eventId?: string;
  readonly eventType?: string;
  /** Subject of the message, for example `Order/3f…`. Without the id, if the id is a person's: `Account`. */
  readonly subject?: string;
  /** Connects the log lines of everything that follows from one request. */
  readonly correlationId?: string;
  /** Key of the stored message. */
  readonly record?: string;
  /** The queue's id of the message: `orderly order` tells by it what the queue gave again from what was sent once more. */
  readonly messageId?: string;
  /** Number of this attempt. Left out for the first one of a message that comes from a queue. */
  readonly attempts?: number;
  /** Number of messages that one line is about. */
  readonly messages?: number;
  /** Seconds from the message's time until now, of a message that has been handled: a metric filter makes `ProcessingAge` of it. */
  readonly age?: number;
}

/**
 * Writes the line of a message, with the metrics that were counted since the last line. Nothing is lost with a later crash of the
 * same invocation.
 * @param outcome what became of the message: `applied`, `duplicate`, `stored`
 */
export const logMessage = (outcome: string, line: MessageLine): void => logOutcome(outcome, { ...line });

/**
 * Returns the fields of a message's line that its envelope has.
 * @param isAboutPerson whether the subject's id is a person's, or may be one: no log names a person
 */
export const messageFields = (envelope: Envelope, isAboutPerson: boolean): Omit<MessageLine, 'consumer'> => ({
  eventId: envelope.id,
  eventType: envelope.type,
  subject: isAboutPerson ? aggregateOf(envelope) : envelope.subject,
  correlationId: envelope.correlationid,
});

/** Returns the field with the age of a message that has just been handled. It is never below 0, whatever clock the sender has. */
export const ageField = ({ time }: Envelope): Pick<MessageLine, typeof AGE_FIELD> => ({
  [AGE_FIELD]: Math.max(0, secondsBetween(time, clock.now())),
});

/** Returns the fields that tell one delivery of a message from another. */
export const deliveryFields = ({
  record: { messageId },
  attempts,
}: {
  readonly record: { readonly messageId: string };
  readonly attempts: number;
}): Pick<MessageLine, 'messageId' | 'attempts'> => ({ messageId, ...(attempts > 1 && { attempts }) });
