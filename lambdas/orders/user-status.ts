import type { Table, TransactWriteItem } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import type { Envelope } from '@orderly/kit/messages';
import type { UserStatus } from '../users/contract.js';
import { type CopiedFrom, copyEffect, copyKey, unchangedCopy } from './user-copy.js';

/** A user's status, and the event that it comes from. */
export interface UserStatusCopy extends CopiedFrom {
  readonly status: UserStatus;
}

/** Reads this service's own copy of a user's status, strongly consistent; `undefined` if it was never changed. */
export const readStatusCopy = async (table: Table, userId: string): Promise<UserStatusCopy | undefined> =>
  (await table.read(copyKey(userId, 'STATUS'))) as UserStatusCopy | undefined;

/**
 * Reads the status of a user from this service's own copy. The copy follows the users service within about a second, so
 * an order that is placed in this second is admitted by the old status.
 * @returns `ACTIVE` for a user whose status was never changed
 */
export const readStatus = async (table: Table, userId: string): Promise<UserStatus> =>
  (await readStatusCopy(table, userId))?.status ?? 'ACTIVE';

/** Returns the check that a user's status is still the one that was read, or that an event has left. */
export const copyCheck = (table: Table, userId: string, copy: CopiedFrom | undefined): TransactWriteItem =>
  unchangedCopy(table, copyKey(userId, 'STATUS'), copy);

/** Returns the write that stores a user's status, unless a newer one is stored. */
export const statusEffect = (
  table: Table,
  userId: string,
  status: UserStatus,
  envelope: Pick<Envelope, 'sequence' | 'epoch'>,
): Promise<Effect> => copyEffect(table, copyKey(userId, 'STATUS'), { status }, envelope);
