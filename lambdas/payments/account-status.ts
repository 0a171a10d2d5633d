import type { Table } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { type Envelope, toOrdinal } from '@orderly/kit/messages';
import type { AccountStatus } from '../accounts/contract.js';
import { ACCOUNT_COPIES } from './keys.js';

/** An account's status, and the event that it comes from. */
interface Copy {
  readonly status: AccountStatus;
  readonly version: number;
  readonly epoch: number;
}

const keyOf = (accountId: string) => ({ pk: ACCOUNT_COPIES + accountId, sk: 'STATUS' });

const readCopy = async (table: Table, accountId: string): Promise<Copy | undefined> =>
  (await table.read(keyOf(accountId))) as Copy | undefined;

/**
 * Tells whether an account is closed, by this service's own copy of its status. The copy follows the accounts service within
 * about a second, so a payment that is requested in this second is accepted.
 */
export const isClosed = async (table: Table, accountId: string): Promise<boolean> =>
  (await readCopy(table, accountId))?.status === 'CLOSED';

/**
 * Returns the write that stores an account's status; a check that a newer one is stored if this one is older. Events may
 * arrive late, twice and in any order, and the newest one is enough.
 */
export async function statusEffect(
  table: Table,
  accountId: string,
  status: AccountStatus,
  position: Pick<Envelope, 'sequence' | 'epoch'>,
): Promise<Effect> {
  const copy = await readCopy(table, accountId);
  const key = keyOf(accountId);
  const isAsRead = copy
    ? {
        ConditionExpression: 'version = :version AND epoch = :epoch',
        ExpressionAttributeValues: { ':version': copy.version, ':epoch': copy.epoch },
      }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
  const { sequence: version, epoch } = position;
  return !copy || toOrdinal(position) > toOrdinal({ epoch: copy.epoch, sequence: copy.version })
    ? [{ Put: { TableName: table.name, Item: { ...key, status, version, epoch }, ...isAsRead } }]
    : [{ ConditionCheck: { TableName: table.name, Key: key, ...isAsRead } }];
}
