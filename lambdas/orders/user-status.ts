import type { Table } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import type { Envelope } from '@orderly/kit/messages';
import type { UserStatus } from '../users/contract.js';
import { USER_STATUSES } from './keys.js';

const keyOf = (userId: string) => ({ pk: USER_STATUSES + userId, sk: 'STATUS' });

/** A user's status, and the event that it comes from. */
interface Copy extends Pick<Envelope, 'epoch'> {
  readonly status: UserStatus;
  readonly version: number;
}

const read = async (table: Table, userId: string) => (await table.read(keyOf(userId))) as Copy | undefined;

/**
 * Reads the status of a user from this service's own copy, strongly consistent. The copy follows the users service
 * within about a second, so an order that is placed in this second is admitted by the old status.
 * @returns `ACTIVE` for a user whose status was never changed
 */
export const statusOf = async (table: Table, userId: string): Promise<UserStatus> =>
  (await read(table, userId))?.status ?? 'ACTIVE';

/**
 * Returns the write that stores a user's status; a check that a newer one is stored if this one is older. Events may
 * arrive late, twice and in any order. Each of them carries the whole status, so the newest one is enough.
 */
export async function statusEffect(
  table: Table,
  userId: string,
  status: UserStatus,
  { sequence: version, epoch }: Pick<Envelope, 'sequence' | 'epoch'>,
): Promise<Effect> {
  const copy = await read(table, userId);
  // A restore of the users' tables raises the epoch, and versions count from the restored ones again.
  const isNewer = !copy || copy.epoch < epoch || (copy.epoch === epoch && copy.version < version);
  // Another event may be stored between the read and this write.
  const isAsRead = copy
    ? {
        ConditionExpression: 'version = :version AND epoch = :epoch',
        ExpressionAttributeValues: { ':version': copy.version, ':epoch': copy.epoch },
      }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
  return isNewer
    ? [{ Put: { TableName: table.name, Item: { ...keyOf(userId), status, version, epoch }, ...isAsRead } }]
    : [{ ConditionCheck: { TableName: table.name, Key: keyOf(userId), ...isAsRead } }];
}
