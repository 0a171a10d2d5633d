import { documentClient, queryItems } from '@orderly/kit/aws';
import { type Projection, readVersions, versionedKey } from '@orderly/kit/projection';
import type { AccountStore } from './aggregates.js';
import { type AccountView, EXHAUSTED_INDEX } from './contract.js';
import { type Account, toView } from './domain/account.js';
import { CREDIT_ROWS, EXHAUSTED, EXHAUSTED_PROJECTION } from './keys.js';

/**
 * Projection of customers who have used up their credit. An account with credit, closed, or not yet opened, has a row too,
 * without the index's key. The row's version prevents an older row from replacing it, and shows which events the row
 * includes.
 */
export const createExhaustedList = (accountStore: AccountStore): Projection<Account> => ({
  name: EXHAUSTED_PROJECTION,
  table: accountStore.table,
  aggregate: accountStore.aggregate,
  store: accountStore,
  partitions: CREDIT_ROWS,
  versionedKeys: ['sk', 'exhaustedPk'],
  row({ id, state, version }) {
    const account = toView(id, state, version);
    return {
      pk: CREDIT_ROWS + id,
      sk: 'ROW',
      version,
      // Stored as text: an answer's fields keep their order, and a rebuilt row is identical to the byte.
      ...(account?.status === 'OPEN' && account.available.amount === 0
        ? { exhaustedPk: EXHAUSTED, exhaustedSk: id, account: JSON.stringify(account) }
        : {}),
    };
  },
  idOf: ({ pk }) => pk.slice(CREDIT_ROWS.length),
});

/**
 * Reads the accounts without credit, by customer id, eventually consistent.
 * @param after customer id of the last account shown; it is a logical position, so it is valid in every version of the
 *   list
 * @param limit maximum number of accounts
 * @returns one more than `limit` if there are more
 */
export async function readExhaustedAccounts(
  list: Projection<Account>,
  after: string | undefined,
  limit: number,
): Promise<readonly AccountView[]> {
  const { reads } = await readVersions(list, 'soon');
  const query = {
    TableName: list.table,
    IndexName: EXHAUSTED_INDEX,
    KeyConditionExpression: `exhaustedPk = :pk${after === undefined ? '' : ' AND exhaustedSk > :after'}`,
    ExpressionAttributeValues: {
      ':pk': versionedKey(EXHAUSTED, reads),
      ...(after === undefined ? {} : { ':after': after }),
    },
  };
  const { items } = await queryItems(documentClient, query, { limit: limit + 1 });
  return items.map(({ account }) => withStatus(JSON.parse(String(account))));
}

/** Adds the status to the row of an earlier release, in which no account could be closed. */
const withStatus = ({ customerId, status = 'OPEN', ...account }: Earlier): AccountView => ({
  customerId,
  status,
  ...account,
});

type Earlier = Omit<AccountView, 'status'> & Partial<Pick<AccountView, 'status'>>;
