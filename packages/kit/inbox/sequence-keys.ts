import { createHash } from 'node:crypto';
import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';
import type { InboxMode } from './contract.js';

/** Place of a message in the history of its aggregate. */
export interface Place {
  /** Aggregate: `<AggregateType>/<id>`. */
  readonly subject: string;
  /** Version of the aggregate after the event, from 1. */
  readonly sequence: number;
  /** Number of times that the publisher was restored from a backup. */
  readonly epoch: number;
}

/**
 * Returns the key of the record of a message in mode sequential: its subject and its place. So the next message of a
 * subject is read by its key, and a message that comes under another id has the same record.
 *
 * The subject is hashed, because keys are in logs and a subject may name a person. After a restore, the places begin
 * anew in another epoch: they never collide with those before, and no message of them is the next one.
 */
export const placeKey = (consumer: ConsumerIdentity, { subject, sequence, epoch }: Place): string =>
  recordKey(consumer, `${hashOf(subject)}#SEQ#${epoch === 0 ? '' : `${epoch}/`}${String(sequence).padStart(10, '0')}`);

/**
 * Returns the key of the record of a message in an inbox of some mode: that of its place, or `undefined` for that of its id. Only
 * an event has a place: a command is about an aggregate, and no part of its history.
 */
export const placeKeyOf = (
  consumer: ConsumerIdentity,
  mode: InboxMode | undefined,
  message: Place & { readonly to?: string | undefined },
): string | undefined => (mode === 'sequential' && message.to === undefined ? placeKey(consumer, message) : undefined);

/** Returns the key of the cursor of a subject: the sequence of the last message that was processed or discarded. */
export const cursorKey = (consumer: ConsumerIdentity, subject: string): string =>
  recordKey(consumer, `${hashOf(subject)}#CURSOR`);

const hashOf = (subject: string): string => createHash('sha256').update(subject).digest('hex').slice(0, 32);
