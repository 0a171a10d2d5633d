import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { documentClient, transact } from '../../../packages/kit/aws/dynamodb.js';
import { API_RECORDS, SESSIONS } from '../../../packages/kit/idempotent-receiver/contract.js';
import { createRequestRecord } from '../../../packages/kit/idempotent-receiver/create-request-record.js';
import { issueKey, parseIdempotencyKey } from '../../../packages/kit/idempotent-receiver/idempotency-key.js';
import { createKeyRecord } from '../../../packages/kit/idempotent-receiver/key-record.js';
import { openSession, SESSION_IDLE_SECONDS } from '../../../packages/kit/idempotent-receiver/session.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const DAY = 86_400;
const CHANGE = Date.parse('2026-12-01T00:00:00.000Z') / 1000;
/** 35 days, and 60 from the change on. */
const windowSeconds = [
  { from: '2026-01-01T00:00:00.000Z', seconds: 35 * DAY },
  { from: new Date(CHANGE * 1000).toISOString(), seconds: 60 * DAY },
];
const records = { table: 'records', windowSeconds, service: 'tallies', sessionsPath: '/tallies/sessions' };
inProcessDynamoDb({ records: ['pk'] });

const requestBy = (header: string) => ({
  header,
  client: 'customer:alice',
  method: 'POST',
  path: '/tallies',
  query: {},
  body: {},
});
const goTo = (seconds: number): void => void vi.setSystemTime(seconds * 1000);
/** Accepts a request, as the transaction of its effect does. */
async function accept(header: string): Promise<void> {
  const record = createKeyRecord(parseIdempotencyKey(requestBy(header)), records);
  await transact([(await record.claim('first'))(1)]);
}
const expiries = async (prefix: string): Promise<readonly unknown[]> => {
  const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: 'records' }));
  return Items.flatMap(({ pk, expiresAt }) => (String(pk).startsWith(prefix) ? [expiresAt] : []));
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['before', CHANGE - 1, 35],
  ['after', CHANGE, 60],
])('a request that was accepted %s the change keeps the window of its time', async (_, at, days) => {
  goTo(at);
  await accept(`own-key-${days}`);
  expect(await expiries(API_RECORDS)).toContain(at + days * DAY);
});

test.each([
  ['before', CHANGE - 1, 35],
  ['after', CHANGE, 60],
])('the answers of a session that ends %s the change are kept for the window of that time', async (_, ends, days) => {
  goTo(ends - SESSION_IDLE_SECONDS);
  await openSession('customer:alice', records);
  expect(await expiries(SESSIONS)).toContain(ends + days * DAY);
});

test('a longer window opens nothing for an issued key or a session whose record has expired: both refuse by their own age', async () => {
  goTo(CHANGE - DAY);
  const { idempotencyKey: issued } = issueKey();
  // Its record expired 35 days later: nothing is stored here any more.
  goTo(CHANGE + 40 * DAY);
  const record = createKeyRecord(parseIdempotencyKey(requestBy(issued)), records);
  expect(await record.find()).toBeUndefined();
  await expect(record.claim('again')).rejects.toMatchObject({ code: 'key-expired' });
  const numbered = { ...requestBy(''), header: undefined };
  const session = { id: 'tallies_0', number: '1', answeredUpTo: undefined };
  await expect(createRequestRecord({ ...numbered, session }, records).claim('again')).rejects.toMatchObject({
    code: 'session-not-open',
  });
});
