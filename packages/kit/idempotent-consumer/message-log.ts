import { clock, secondsBetween } from '../aws/clock.js';
import { Metric } from '../aws/metric-names.js';
import { count, logger, recordSeconds } from '../aws/telemetry.js';
import { aggregateOf, type Envelope } from '../messages/envelope.js';
import { type Source, sourceFor } from './message-source.js';

/** Log lines of one consumer about its messages. */
export class MessageLog {
  constructor(
    private readonly consumer: string,
    private readonly sources: readonly Source[],
  ) {}

  info(line: string, envelope: Envelope | undefined): void {
    logger.info(line, { consumer: this.consumer, ...this.logFields(envelope) });
  }

  /** Logs and counts a message that the queue may delete. */
  done(outcome: 'applied' | 'duplicate', envelope: Envelope | undefined): void {
    if (outcome === 'duplicate') count(Metric.DUPLICATES_SUPPRESSED);
    if (envelope) recordSeconds(Metric.PROCESSING_AGE, Math.max(0, secondsBetween(envelope.time, clock.now())));
    this.info(outcome, envelope);
  }

  /** Returns the log fields that connect the log lines of one order. */
  logFields(envelope: Envelope | undefined) {
    if (!envelope) return {};
    return {
      eventId: envelope.id,
      eventType: envelope.type,
      subject: this.subjectToLog(envelope),
      correlationId: envelope.correlationid,
      causationId: envelope.causationid,
      traceparent: envelope.traceparent,
    };
  }

  /**
   * Returns the subject for logs, for example `Order/3f…`. It leaves the id out if the id is a person's, or if that is
   * unknown.
   */
  private subjectToLog(envelope: Envelope): string {
    const source = sourceFor(this.sources, envelope);
    return source && !source.isAboutPerson(envelope) ? envelope.subject : aggregateOf(envelope);
  }
}
