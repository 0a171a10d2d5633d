import type { Item, Table, TransactWriteItem } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { type Envelope, toOrdinal } from '@orderly/kit/messages';
import { USER_COPIES } from './keys.js';

/** Event from which something about a user was copied. */
export interface CopiedFrom extends Pick<Envelope, 'epoch'> {
  readonly version: number;
}

/** Key of a copy of one thing about a user. */
export const copyKey = (userId: string, what: 'STATUS' | 'ADDRESS' | 'PAYER') => ({
  pk: USER_COPIES + userId,
  sk: what,
});

/**
 * Returns the write that stores a copy; a check that a newer one is stored if this one is older. Events may arrive late,
 * twice and in any order. Each of them carries the whole copy, so the newest one is enough.
 * @param alsoAt key at which the newest copy is stored a second time, by the same transaction, whichever of the two it is
 */
export async function copyEffect(
  table: Table,
  key: ReturnType<typeof copyKey>,
  content: object,
  position: Pick<Envelope, 'sequence' | 'epoch'>,
  alsoAt?: Item,
): Promise<Effect> {
  const copy = (await table.read(key)) as CopiedFrom | undefined;
  const { sequence: version, epoch } = position;
  const isNewer = !copy || toOrdinal(position) > toOrdinal({ epoch: copy.epoch, sequence: copy.version });
  const newest = isNewer ? { ...content, version, epoch } : copy;
  return [
    isNewer
      ? { Put: { TableName: table.name, Item: { ...newest, ...key }, ...isAsRead(copy) } }
      : unchangedCopy(table, key, copy),
    ...(alsoAt ? [{ Put: { TableName: table.name, Item: { ...newest, ...alsoAt } } }] : []),
  ];
}

/** Returns the check that a copy is still the one that was read. */
export const unchangedCopy = (
  table: Table,
  key: ReturnType<typeof copyKey>,
  copy: CopiedFrom | undefined,
): TransactWriteItem => ({ ConditionCheck: { TableName: table.name, Key: key, ...isAsRead(copy) } });

/** Condition that no other event was stored since the copy was read. */
const isAsRead = (copy: CopiedFrom | undefined) =>
  copy
    ? {
        ConditionExpression: 'version = :version AND epoch = :epoch',
        ExpressionAttributeValues: { ':version': copy.version, ':epoch': copy.epoch },
      }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
