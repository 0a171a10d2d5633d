import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Env } from '../../../packages/kit/aws/environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { traceOf } from '../../support/tally.js';

beforeAll(() => {
  vi.stubEnv(Env.TABLE, 'courses');
  vi.stubEnv(Env.DEDUPE_WINDOW_SECONDS, '3600');
  vi.stubEnv(Env.FEED_SHARDS, JSON.stringify([{ from: '1970-01-01T00:00:00.000Z', shards: 8 }]));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

test("the README's example writes each change once, and nothing where nothing changes", async () => {
  const { calls } = inProcessDynamoDb({ courses: ['pk', 'sk'] });
  const { setSeats } = await import('./example.js');
  const versionAfter = async (seats: number) => (await setSeats('c1', seats, traceOf('request'))).version;
  expect([await versionAfter(20), await versionAfter(20), await versionAfter(25)]).toEqual([1, 1, 2]);
  expect(calls.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(2);
});
