import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Loaded } from '../../patterns/event-store/event-store.js';
import { documents } from '../../platform/dynamodb.js';
import { Env } from '../../platform/environment.js';
import { required } from '../../platform/read-environment.js';
import { type AccountView, EXHAUSTED_INDEX } from './contract.js';
import { type Account, viewOf } from './domain/account.js';

const TableName = required(Env.TABLE);
/** Only rows of accounts without credit have the index's key, so only they are in it. */
const EXHAUSTED = 'EXHAUSTED#accounts';

/**
 * Puts an account's row unless a newer version stands there: so it doesn't matter how often and in which order its
 * events arrive, and a rebuild is the same call. An account with credit, or not yet opened, has a row too, without the
 * index's key: its version keeps an older row from coming back, and tells which events it has seen.
 */
export async function putRow({ id, state, version }: Loaded<Account>): Promise<'applied' | 'duplicate'> {
  const isNewer = 'attribute_not_exists(pk) OR version < :version';
  const account = viewOf(id, state, version);
  const Item = {
    pk: `CREDIT#${id}`,
    sk: 'ROW',
    version,
    // As text: an answer's fields keep their order, and a rebuilt row is the same to the byte.
    ...(account?.available.amount === 0
      ? { exhaustedPk: EXHAUSTED, exhaustedSk: id, account: JSON.stringify(account) }
      : {}),
  };
  try {
    await documents.send(
      new PutCommand({
        TableName,
        Item,
        ConditionExpression: isNewer,
        ExpressionAttributeValues: { ':version': version },
      }),
    );
    return 'applied';
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'duplicate';
    throw error;
  }
}

/**
 * Accounts without credit, by customer id, eventually consistent.
 * @param after customer id of the last one shown; @param limit at most so many
 * @returns one more than `limit` where there are more
 */
export async function exhaustedAccounts(after: string | undefined, limit: number): Promise<readonly AccountView[]> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName,
      IndexName: EXHAUSTED_INDEX,
      KeyConditionExpression: `exhaustedPk = :pk${after === undefined ? '' : ' AND exhaustedSk > :after'}`,
      ExpressionAttributeValues: { ':pk': EXHAUSTED, ...(after === undefined ? {} : { ':after': after }) },
      Limit: limit + 1,
    }),
  );
  return Items.map(({ account }) => JSON.parse(account) as AccountView);
}
