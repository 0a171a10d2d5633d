import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import type { DedupeWindow } from '../aws/dedupe-window.js';
import { ContractViolation } from '../messages/contract.js';
import { appOf, type Envelope, messageIdOf, readEnvelope } from '../messages/envelope.js';
import { findTooOld, type TooOld } from './failure-kinds.js';

/** Name of the message attribute that marks a redrive: an operator sends a failed message again. */
export const REDRIVE = 'redrive';

/** Name of the message attribute that names the record from which a stored message was sent. */
export const STORED = 'stored';

/** Name of the message attribute that marks a message which a lane could not decide and returned to its queue. */
export const RETURNED = 'returned';

/** Name of the message attribute that marks an event which an operator replays. */
export const REPLAY = 'replay';

/** Status of a stored message that has not been processed yet. */
export const PENDING = 'PENDING';

/**
 * Redrive: a failed message that an operator sends again. It skips the age gate. Its record changes from FAILED to
 * PROCESSED in the same transaction as the effect.
 */
interface Redrive {
  readonly kind: 'redrive';
  /** Whether the operator confirms that the effect did not happen before. This matters if nobody else can know. */
  readonly confirmedNotDone: boolean;
}

/**
 * A message that was stored in its consumer's record before it was sent. It skips the age gate, because that record
 * does not expire. The record changes from PENDING to PROCESSED in the same transaction as the effect.
 *
 * If the record is gone, the message was cleared or was processed long ago. Then the delivery counts as a duplicate.
 */
interface Stored {
  readonly kind: 'stored';
  /** Key of the message's record. It contains the consumer's generation at the time when the message was stored. */
  readonly record: string;
}

/** Origin of a message that has a record already. */
export type Recorded = Redrive | Stored;

/** One message as a queue delivered it. It is parsed once and then passed on. */
export interface Delivery {
  readonly record: SQSRecord;
  /** Identity of the message (`messageIdOf`), or the hash of the body if it cannot be read. */
  readonly id: string;
  /** The message, or the reason why it cannot be read. */
  readonly message: Envelope | ContractViolation;
  /** Redrive or stored record of the message. It is `undefined` for a message that comes from the bus. */
  readonly recorded: Recorded | undefined;
  /** Whether a lane returned the message. It takes a plain transaction: the lane is done with it. */
  readonly returned: boolean;
  /** Whether an operator replays it. A consumer that is younger than the event may process it: see `findOutlivedWindow`. */
  readonly replayed: boolean;
  /** Number of deliveries so far, including this one. */
  readonly attempts: number;
  /** Error if the message is so old that its record may have expired; otherwise `undefined`. */
  readonly tooOld: TooOld | undefined;
}

/** Checks of a consumer at each delivery. */
export interface DeliveryRules {
  /** Name of the application, whose own messages these must be. */
  readonly app: string;
  /** Deduplication window of the consumer. */
  readonly window: DedupeWindow;
  /** Time of the first deployment of the consumer and its generation, if it takes what is replayed from before. */
  readonly since?: string | undefined;
}

/** Parses a record of an SQS event. */
export function readDelivery(record: SQSRecord, { app, window, since }: DeliveryRules): Delivery {
  const message = readOrRefuse(record.body, app);
  const envelope = message instanceof ContractViolation ? undefined : message;
  const replayed = record.messageAttributes[REPLAY] !== undefined;
  return {
    record,
    id: envelope ? messageIdOf(envelope) : bodyHashId(record.body),
    message,
    recorded: readRecorded(record),
    returned: record.messageAttributes[RETURNED] !== undefined,
    replayed,
    attempts: Number(record.attributes.ApproximateReceiveCount),
    // A command asks for something once: a new consumer has no claim on those that were sent before it existed.
    tooOld: envelope && findTooOld(envelope, window, replayed && envelope.to === undefined ? since : undefined),
  };
}

/** Returns the envelope of a delivery, or `undefined` if it cannot be read. */
export const envelopeOf = ({ message }: Delivery): Envelope | undefined =>
  message instanceof ContractViolation ? undefined : message;

/** Returns a substitute for the id of a message without a readable id. */
export const bodyHashId = (body: string): string => `body:${createHash('sha256').update(body).digest('hex')}`;

function readRecorded({ messageAttributes }: SQSRecord): Recorded | undefined {
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
