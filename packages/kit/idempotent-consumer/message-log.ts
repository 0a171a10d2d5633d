import { clock, secondsBetween } from '../aws/clock.js';
import { Metric } from '../aws/metric-names.js';
import { count, recordSeconds } from '../aws/telemetry.js';
import type { Envelope } from '../messages/envelope.js';
import { logMessage, messageFields } from '../messages/message-line.js';
import { type Source, sourceFor } from './message-source.js';

/** Log lines of one consumer about its messages. */
export class MessageLog {
  constructor(
    private readonly consumer: string,
    private readonly sources: readonly Source[],
  ) {}

  info(line: string, envelope: Envelope | undefined): void {
    logMessage(line, { consumer: this.consumer, ...this.logFields(envelope) });
  }

  /** Logs and counts a message that the queue may delete. */
  done(outcome: 'applied' | 'duplicate', envelope: Envelope | undefined): void {
    if (outcome === 'duplicate') count(Metric.DUPLICATES_SUPPRESSED);
    if (envelope) recordSeconds(Metric.PROCESSING_AGE, Math.max(0, secondsBetween(envelope.time, clock.now())));
    this.info(outcome, envelope);
  }

  /** Returns the log fields that connect the log lines of one order. An unknown message may be about a person. */
  logFields(envelope: Envelope | undefined) {
    if (!envelope) return {};
    return messageFields(envelope, sourceFor(this.sources, envelope)?.isAboutPerson(envelope) ?? true);
  }
}
