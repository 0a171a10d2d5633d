import { type SpanFields, startSpan } from '../aws/spans.js';
import { type Envelope, readEnvelope } from './envelope.js';

/** An attempt of a consumer at a message, as traces see it. */
export interface Attempt {
  /** The message, whose trace context is that of the attempt: what its handler writes is a child of it. */
  readonly message: Envelope;
  /** Writes the attempt's span. @param outcome `applied`, `duplicate`, `retrying`, `refused`, `failed` and the like */
  end(outcome: string, fields?: SpanFields): void;
}

/**
 * Begins an attempt. Each delivery of a message has one of its own, so duplicates and retries are seen.
 * @param of what is done with the message @param message nothing, if it can't be read: then it has no trace
 */
export function startAttempt(
  of: 'receive' | 'process',
  message: Envelope | undefined,
  given: SpanFields,
): Attempt | undefined {
  if (!message) return undefined;
  const span = startSpan(message.traceparent);
  const { id, type, correlationid: correlationId } = message;
  return {
    message: { ...message, traceparent: span.traceparent },
    end: (outcome, fields) => span.end(of, { message: id, type, correlationId, outcome, ...given, ...fields }),
  };
}

/** Begins an attempt at a stored message. @param payload body of the message */
export function startStoredAttempt(payload: string, given: SpanFields): Attempt | undefined {
  try {
    return startAttempt('process', readEnvelope(payload), given);
  } catch {
    return undefined;
  }
}
