import { clock } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import type { TransactWriteItem } from '../aws/items.js';
import { requireEnv } from '../aws/read-environment.js';
import { personKey } from './person-key.js';

/**
 * Creates the write that forgets a person for ever (crypto-shredding): a tombstone replaces the data key, so all data
 * that was sealed with it becomes unreadable, wherever copies are. It has the effect of the operator's `person forget`.
 *
 * It is repeatable and needs no condition: the first tombstone stays, because it shows the time of the erasure. It can
 * be part of a transaction. A function that uses it needs no permission on the KMS key.
 * @param by who asked for the erasure
 * @example
 * const forget = erasureFromEnvironment(); // at the start of the module
 * await transact([forget(userId, 'customer'), ...writes]);
 * @throws {SettingMissing} at start, if the stack does not grant the erasure
 */
export function erasureFromEnvironment(): (person: string, by: string) => TransactWriteItem {
  const TableName = requireEnv(Env.PERSONAL_KEYS);
  return (person, by) => ({
    Update: {
      TableName,
      Key: personKey(person),
      UpdateExpression:
        'SET forgottenAt = if_not_exists(forgottenAt, :now), forgottenBy = if_not_exists(forgottenBy, :by) REMOVE #wrapped, createdAt',
      ExpressionAttributeNames: { '#wrapped': 'wrapped' },
      ExpressionAttributeValues: { ':now': clock.now(), ':by': by },
    },
  });
}
