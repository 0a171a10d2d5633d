import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { documents } from '../../../packages/kit/aws/dynamodb.js';
import { listFailures } from '../../../packages/kit/operator/failures.js';
import type { Service } from '../../../packages/kit/operator/services.js';
import { commandTextOf } from '../../../packages/kit/operator/text.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const BEGIN = Date.parse('2026-12-01T00:00:00.000Z');
const at = (second: number): string => new Date(BEGIN + second * 1000).toISOString();

const service = {
  name: 'trips',
  table: 'table',
  records: 'records',
  relay: '',
  feedShards: [],
  consumers: ['seats', 'meals'].map((name) => ({
    name,
    generation: 0,
    queueUrl: '',
    events: [],
    dedupeWindowSeconds: 1,
    longestRedeliverySeconds: 1,
    projection: false,
    takesCommands: false,
  })),
} satisfies Service;
const context = { documents, services: [service], command: commandTextOf('trips') };

let dynamodb: ReturnType<typeof inProcessDynamoDb>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: BEGIN });
  dynamodb = inProcessDynamoDb({ records: ['pk'] }, { records: { failed: ['failedConsumer', 'failedAt'] } });
});
afterEach(() => void vi.useRealTimers());

async function failed(consumer: string, messageId: string, failedAt: string): Promise<void> {
  const Item = {
    pk: `${consumer}@0#${messageId}`,
    status: 'FAILED',
    messageId,
    failedConsumer: consumer,
    failedAt,
    payload: '{}',
    failures: [],
  };
  await documents.send(new PutCommand({ TableName: 'records', Item }));
}

async function page(
  limit: number,
  before?: string,
): Promise<{ ids: string[]; olderBefore: string | undefined; text: string }> {
  const { json, text } = await listFailures(context, { consumer: undefined, limit, before });
  const { failures, olderBefore } = json as { failures: { messageId: string }[]; olderBefore?: string };
  return { ids: failures.map(({ messageId }) => messageId), olderBefore, text };
}

test('failures are listed in pages, newest first, over all consumers', async () => {
  for (let n = 0; n < 9; n++) await failed(n % 2 === 0 ? 'seats' : 'meals', `m${n}`, at(n));
  vi.advanceTimersByTime(60_000); // an index comes a moment later
  const first = await page(4);
  expect(first.ids).toEqual(['m8', 'm7', 'm6', 'm5']);
  expect(first.text).toContain(`there are older ones: trips failures list --before ${at(5)}`);
  const second = await page(4, first.olderBefore);
  expect(second.ids).toEqual(['m4', 'm3', 'm2', 'm1']);
  const third = await page(4, second.olderBefore);
  expect(third).toMatchObject({ ids: ['m0'], olderBefore: undefined });
  expect(third.text).not.toContain('older');
  expect(await page(4, at(0))).toMatchObject({ ids: [], text: `no failures before ${at(0)}` });
});

test('those of the millisecond at which a page ends are all on it', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await failed('seats', id, at(1));
  await failed('meals', 'e', at(1));
  await failed('seats', 'older', at(0));
  vi.advanceTimersByTime(60_000);
  const { ids, olderBefore } = await page(2);
  expect(ids.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await page(2, olderBefore)).toMatchObject({ ids: ['older'] });
});

test('a page reads no more of each consumer, and of the relay, than it can show, and one', async () => {
  for (let n = 0; n < 30; n++) await failed('seats', `m${n}`, at(n));
  vi.advanceTimersByTime(60_000);
  dynamodb.calls.length = 0;
  await page(3);
  expect(dynamodb.calls.map(({ readUnits }) => readUnits)).toEqual([0.5, 0.5, 0.5]);
});
