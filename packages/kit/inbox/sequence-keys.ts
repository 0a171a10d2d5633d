import { createHash } from 'node:crypto';
import type { InboxMode } from '../base/outputs.js';
import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';
import { type Position, parsePosition, toOrdinal } from '../messages/position.js';

/** Place of a message in the history of its aggregate. */
export interface SequencePlace extends Position {
  /** Aggregate: `<AggregateType>/<id>`. */
  readonly subject: string;
  /**
   * Position of the event before it, `<epoch>/<sequence>`, as the message says it: only the first message of an epoch does, unless
   * its subject begins there.
   */
  readonly follows?: string | undefined;
}

/** A cursor that has passed nothing yet. */
const BEGINNING: Position = { epoch: 0, sequence: 0 };

/** Tells whether a cursor has passed a place: its message was processed or discarded, or a restore has forgotten it. */
export const isPassed = (place: Position, cursor: Position): boolean => toOrdinal(place) <= toOrdinal(cursor);

/**
 * Tells whether a place is the next one behind a cursor. In the cursor's epoch that is the next sequence. A later epoch continues
 * where the message says, and the cursor may have passed more: that was forgotten. A subject that begins in the epoch, or begins
 * again because the restore has forgotten it, follows nothing.
 */
export const isNext = (place: Position & Pick<SequencePlace, 'follows'>, cursor: Position): boolean => {
  if (place.epoch === cursor.epoch) return place.sequence === cursor.sequence + 1;
  if (place.epoch < cursor.epoch) return false;
  return place.sequence === 1 || (place.follows !== undefined && isPassed(parsePosition(place.follows), cursor));
};

/** Places that a restore of the publisher has forgotten, although its events were sent: those behind `after`, up to `upTo`. */
export interface ForgottenPositions {
  readonly after: Position;
  /** The last place that this consumer had passed. Equal to `after` if it had passed none of them. */
  readonly upTo: Position;
}

/** Tells whether a message is the first one of its subject in an epoch after a restore. */
export const beginsEpoch = ({ epoch, sequence, follows }: Position & Pick<SequencePlace, 'follows'>): boolean =>
  epoch > 0 && (sequence === 1 || follows !== undefined);

/**
 * Returns what the first message of a subject in an epoch says was forgotten.
 * @param cursor the last place before it that was passed
 */
export const findForgottenPositions = (
  { follows }: Pick<SequencePlace, 'follows'>,
  cursor: Position,
): ForgottenPositions => ({
  after: follows === undefined ? BEGINNING : parsePosition(follows),
  upTo: cursor,
});

/** Reads the position of a cursor's item. Items of an epoch above 0 name it. */
export const readCursor = (item: Readonly<Record<string, unknown>> | undefined): Position => ({
  epoch: Number(item?.epoch ?? 0),
  sequence: Number(item?.position ?? 0),
});

/**
 * Returns the update that moves a cursor to a place, under the condition that it is as it was read.
 * @param from the cursor as it was read
 */
export function cursorUpdate(
  table: string,
  pk: string,
  from: Position,
  { subject, epoch, sequence }: SequencePlace,
  now: string,
) {
  const { condition, names, values } = cursorCondition(from);
  return {
    TableName: table,
    Key: { pk },
    UpdateExpression: `SET #position = :place, subject = :subject, movedAt = :now${epoch === 0 ? '' : ', epoch = :epoch'}`,
    ConditionExpression: condition,
    ExpressionAttributeNames: { ...names, '#position': 'position' },
    ExpressionAttributeValues: {
      ...values,
      ':place': sequence,
      ':subject': subject,
      ':now': now,
      ...(epoch === 0 ? {} : { ':epoch': epoch }),
    },
  };
}

/** Returns the condition that a cursor is as it was read. */
export function cursorCondition({ epoch, sequence }: Position) {
  if (epoch === 0 && sequence === 0) return { condition: 'attribute_not_exists(pk)', names: {}, values: {} };
  const ofEpoch = epoch === 0 ? 'attribute_not_exists(epoch)' : 'epoch = :fromEpoch';
  return {
    condition: `#position = :from AND ${ofEpoch}`,
    names: { '#position': 'position' },
    values: { ':from': sequence, ...(epoch === 0 ? {} : { ':fromEpoch': epoch }) },
  };
}

/**
 * Returns the key of the record of a message in mode sequential: its subject and its place. So the next message of a
 * subject is read by its key, and a message that comes under another id has the same record.
 *
 * The subject is hashed, because keys are in logs and a subject may name a person. After a restore of the publisher, versions
 * repeat in a later epoch: their places never collide with those before.
 */
export const placeKey = (
  consumer: ConsumerIdentity,
  { subject, sequence, epoch }: Pick<SequencePlace, 'subject' | 'sequence' | 'epoch'>,
): string =>
  recordKey(
    consumer,
    `${hashSubject(subject)}#SEQ#${epoch === 0 ? '' : `${epoch}/`}${String(sequence).padStart(10, '0')}`,
  );

/**
 * Returns the key of the record of a message in an inbox of some mode: that of its place, or `undefined` for that of its id. Only
 * an event has a place: a command is about an aggregate, and no part of its history.
 */
export const placeKeyIfSequential = (
  consumer: ConsumerIdentity,
  mode: InboxMode | undefined,
  message: SequencePlace & { readonly to?: string | undefined },
): string | undefined => (mode === 'sequential' && message.to === undefined ? placeKey(consumer, message) : undefined);

/** Returns the key of the cursor of a subject: the position of the last message that was processed or discarded. */
export const cursorKey = (consumer: ConsumerIdentity, subject: string): string =>
  recordKey(consumer, `${hashSubject(subject)}#CURSOR`);

const hashSubject = (subject: string): string => createHash('sha256').update(subject).digest('hex').slice(0, 32);
