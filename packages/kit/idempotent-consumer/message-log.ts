import { Metric } from '../aws/metric-names.js';
import { count } from '../aws/telemetry.js';
import { type Delivery, envelopeOf } from '../failures/delivery.js';
import type { Envelope } from '../messages/envelope.js';
import { ageField, deliveryFields, logMessage, type MessageLine, messageFields } from '../messages/message-line.js';
import { type Source, sourceFor } from './message-source.js';

/** Log lines of one consumer about its messages. */
export class MessageLog {
  constructor(
    private readonly consumer: string,
    private readonly sources: readonly Source[],
  ) {}

  info(line: string, delivery: Delivery): void {
    logMessage(line, this.fields(delivery));
  }

  /** Logs and counts a message that the queue may delete. */
  done(outcome: 'applied' | 'duplicate', delivery: Delivery): void {
    const envelope = envelopeOf(delivery);
    if (outcome === 'duplicate') count(Metric.DUPLICATES_SUPPRESSED);
    logMessage(outcome, { ...this.fields(delivery), ...(envelope && ageField(envelope)) });
  }

  /** Returns the fields of a line about a delivery. An unknown message may be about a person. */
  fields(delivery: Delivery): MessageLine {
    const envelope = envelopeOf(delivery);
    const isAboutPerson = (message: Envelope): boolean =>
      sourceFor(this.sources, message)?.isAboutPerson(message) ?? true;
    return {
      consumer: this.consumer,
      ...(envelope && messageFields(envelope, isAboutPerson(envelope))),
      ...deliveryFields(delivery),
    };
  }
}
