import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import { ContractViolation } from '../messages/contract.js';
import { appOf, type Envelope, readEnvelope } from '../messages/envelope.js';
import { type TooOld, tooOldBy } from './failure-kinds.js';

/** Name of the message attribute by which an operator sends a failed message again. */
export const REDRIVE = 'redrive';

/** Name of the message attribute that says which record a stored message was sent from. */
export const STORED = 'stored';

/** Status of a message that was stored and has not been processed yet. */
export const PENDING = 'PENDING';

/**
 * A failed message that an operator sent again. It passes no age gate, and its record goes from FAILED to PROCESSED with
 * the effect.
 */
export interface Redrive {
  readonly kind: 'redrive';
  /** Whether the operator says that its effect did not happen before, where nobody else can know. */
  readonly confirmedNotDone: boolean;
}

/**
 * A message that was stored in its consumer's record before it was sent. It passes no age gate, since that record doesn't
 * expire, and the record goes from PENDING to PROCESSED with the effect. A stored message without a record is over (cleared,
 * or processed long ago) and counts as a duplicate.
 */
export interface Stored {
  readonly kind: 'stored';
  /** Key of its record, in the generation of the consumer in which it was stored. */
  readonly record: string;
}

/** Where a message comes from that has a record already. */
export type Recorded = Redrive | Stored;

/** One message as a queue delivered it, read once and handed on. */
export interface Delivery {
  readonly record: SQSRecord;
  /** Id of the message, or the hash of its body where no id can be read. */
  readonly id: string;
  /** The message, or the reason why it can't be read. */
  readonly message: Envelope | ContractViolation;
  /** Absent for a message that comes from the bus. */
  readonly recorded: Recorded | undefined;
  /** Deliveries so far, this one included. */
  readonly attempts: number;
  /** Set where the message is so old that its record may have expired. */
  readonly tooOld: TooOld | undefined;
}

/**
 * Reads a queue's record.
 * @param app name of the application, whose own messages these must be
 * @param window seconds for which the consumer keeps its records
 */
export function readDelivery(record: SQSRecord, { app, window }: { app: string; window: number }): Delivery {
  const message = readOrRefuse(record.body, app);
  const envelope = message instanceof ContractViolation ? undefined : message;
  return {
    record,
    id: envelope?.id ?? idOfBody(record.body),
    message,
    recorded: recordedOf(record),
    attempts: Number(record.attributes.ApproximateReceiveCount),
    tooOld: envelope && tooOldBy(envelope, window),
  };
}

/** The envelope of a delivery that can be read. */
export const envelopeOf = ({ message }: Delivery): Envelope | undefined =>
  message instanceof ContractViolation ? undefined : message;

/** Stands in for the id of a message that has no readable one. */
export const idOfBody = (body: string): string => `body:${createHash('sha256').update(body).digest('hex')}`;

function recordedOf({ messageAttributes }: SQSRecord): Recorded | undefined {
  const redrive = messageAttributes[REDRIVE]?.stringValue;
  if (redrive === 'again' || redrive === 'not-done')
    return { kind: 'redrive', confirmedNotDone: redrive === 'not-done' };
  const record = messageAttributes[STORED]?.stringValue;
  return record === undefined ? undefined : { kind: 'stored', record };
}

function readOrRefuse(body: string, app: string): Envelope | ContractViolation {
  try {
    const envelope = readEnvelope(body);
    if (appOf(envelope) === app) return envelope;
    return new ContractViolation('INVALID_ENVELOPE', 'its source is of another application');
  } catch (error) {
    if (error instanceof ContractViolation) return error;
    throw error;
  }
}
