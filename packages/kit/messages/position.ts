import * as z from 'zod/mini';
import { MAX_EPOCH } from './keys.js';

/** Largest version of an aggregate: a sort key has room for ten digits. */
export const MAX_SEQUENCE = 9_999_999_999;

/** Position of an event in the history of its aggregate, across restores of its service. */
export const Position = z.object({
  /** Number of times that the service had been restored from a backup when the event was committed. */
  epoch: z.int().check(z.gte(0), z.lte(MAX_EPOCH)),
  /** Version of the aggregate after the event, from 1. */
  sequence: z.int().check(z.gte(1), z.lte(MAX_SEQUENCE)),
});
export type Position = z.infer<typeof Position>;

/**
 * Returns the position of an event as one number, which is higher for a later event of the same aggregate. Whatever compares
 * events of one aggregate compares these numbers: the epoch counts first, then the sequence.
 *
 * After a restore, an aggregate's versions repeat those that the restore has forgotten; its epoch is higher then. In epoch 0 the
 * number is the sequence itself.
 * @example
 * const isNewer = copy === undefined || toOrdinal(envelope) > copy.ordinal;
 */
export const toOrdinal = ({ epoch, sequence }: Position): number => epoch * (MAX_SEQUENCE + 1) + sequence;

/** Returns the position as the extension `follows` of an envelope names it: `<epoch>/<sequence>`. CloudEvents takes no objects. */
export const formatPosition = ({ epoch, sequence }: Position): string => `${epoch}/${sequence}`;

/** Pattern of {@link formatPosition}. */
export const POSITION_TEXT = /^\d{1,6}\/[1-9]\d{0,9}$/;

/** Reads what {@link formatPosition} has written. */
export function parsePosition(text: string): Position {
  const [epoch, sequence] = text.split('/').map(Number);
  return { epoch: epoch ?? 0, sequence: sequence ?? 0 };
}
