import { SettingMissing, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { type Envelope, toOrdinal } from '@orderly/kit/messages';
import type { UserStatus } from '../users/contract.js';
import { OrdersEnv } from './environment.js';
import { CUSTOMER_LISTS, LISTED_STATUS } from './keys.js';
import { type CopiedFrom, copyEffect, copyKey, unchangedCopy } from './user-copy.js';

/** A user's status, and the event that it comes from. */
export interface UserStatusCopy extends CopiedFrom {
  readonly status: UserStatus;
}

/** Reads this service's own copy of a user's status, strongly consistent; `undefined` if it was never changed. */
export const readStatusCopy = async (table: Table, userId: string): Promise<UserStatusCopy | undefined> =>
  (await table.read(copyKey(userId, 'STATUS'))) as UserStatusCopy | undefined;

/**
 * Returns where users' statuses are stored. They move beside the lists, so that one query reads both, in steps of a release each:
 *
 * - `apart`: in a partition of their own. Functions of 0.3.0 know no other place.
 * - `both`: also in the partition of the user's list. Whoever reads there looks at both.
 * - `listed`: the same; whoever admits an order reads in the list's partition only, where each status was stored by now.
 */
export const statusesStep = (): 'apart' | 'both' | 'listed' => {
  const step = process.env[OrdersEnv.USER_STATUSES] ?? 'apart';
  if (step === 'apart' || step === 'both' || step === 'listed') return step;
  throw new SettingMissing(`environment variable ${OrdersEnv.USER_STATUSES}: expected apart, both or listed`);
};

/**
 * Returns the status of a user for an order, by this service's own copy. The copy follows the users service within about a second, so
 * an order that is placed in this second is admitted by the old status; its saga reads the copy strongly consistent before it charges.
 * @param listed reads the copy beside the user's list
 * @returns `ACTIVE` for a user whose status was never changed
 */
export async function readStatus(
  table: Table,
  userId: string,
  listed: Promise<{ readonly status: UserStatusCopy | undefined }>,
): Promise<UserStatus> {
  const copies = await Promise.all([
    listed.then(({ status }) => status),
    statusesStep() === 'listed' ? undefined : readStatusCopy(table, userId),
  ]);
  const [newest] = copies
    .filter((copy) => copy !== undefined)
    .toSorted((one, other) => ordinalOf(other) - ordinalOf(one));
  return newest?.status ?? 'ACTIVE';
}

/** Returns the key of the copy beside a user's list of orders. */
export const listedKey = (userId: string) => ({ pk: CUSTOMER_LISTS + userId, sk: LISTED_STATUS });

const ordinalOf = ({ epoch, version }: UserStatusCopy): number => toOrdinal({ epoch, sequence: version });

/** Returns the check that a user's status is still the one that was read, or that an event has left. */
export const copyCheck = (table: Table, userId: string, copy: CopiedFrom | undefined): TransactWriteItem =>
  unchangedCopy(table, copyKey(userId, 'STATUS'), copy);

/** Returns the writes that store a user's status, unless a newer one is stored. Beside the list, they store the newest one either way. */
export const statusEffect = (
  table: Table,
  userId: string,
  status: UserStatus,
  envelope: Pick<Envelope, 'sequence' | 'epoch'>,
): Promise<Effect> => {
  const alsoAt = statusesStep() === 'apart' ? undefined : listedKey(userId);
  return copyEffect(table, copyKey(userId, 'STATUS'), { status }, envelope, alsoAt);
};
