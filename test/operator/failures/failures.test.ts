import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { SOURCE_MAPS } from '../../../packages/kit/base/outputs.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { listListeners, type Service } from '../../../packages/operator/deployment/services.js';
import { listFailures, showFailure, showRecord } from '../../../packages/operator/failures/failures.js';
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
const context = { documents: documentClient, clock, services: [service], command: commandFormatter('trips') };

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
  await documentClient.send(new PutCommand({ TableName: 'records', Item }));
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

test('failures of the millisecond at which a page ends are all on it', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await failed('seats', id, at(1));
  await failed('meals', 'e', at(1));
  await failed('seats', 'older', at(0));
  vi.advanceTimersByTime(60_000);
  const { ids, olderBefore } = await page(2);
  expect(ids.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await page(2, olderBefore)).toMatchObject({ ids: ['older'] });
});

test('a record that can not be read, as of another release, is a failure that says so, and hides no other', async () => {
  await failed('seats', 'older', at(0));
  await failed('seats', 'foreign', at(1));
  await failed('seats', 'newer', at(2));
  const Item = { pk: 'seats@0#foreign', status: 'SHELVED', messageId: 7, failedConsumer: 'seats', failedAt: at(1) };
  await documentClient.send(new PutCommand({ TableName: 'records', Item }));
  vi.advanceTimersByTime(60_000);
  const { ids, text } = await page(9);
  expect(ids).toEqual(['newer', 'foreign', 'older']);
  expect(text).toMatch(/ trips\/seats +foreign +- +- +the record can't be read: /);
});

test('a page reads no more of each consumer, and of the relay, than it can show, and one', async () => {
  for (let n = 0; n < 30; n++) await failed('seats', `m${n}`, at(n));
  vi.advanceTimersByTime(60_000);
  dynamodb.calls.length = 0;
  await page(3);
  expect(dynamodb.calls.map(({ readUnits }) => readUnits)).toEqual([0.5, 0.5, 0.5]);
});

describe('failures on a terminal', () => {
  const { isTTY, columns } = process.stdout;
  beforeEach(() => void Object.assign(process.stdout, { isTTY: true, columns: 80 }));
  afterEach(() => void Object.assign(process.stdout, { isTTY, columns }));

  test('a list fits its width, and the ids that it shows are taken by the other commands', async () => {
    const ids = ['1', '2'].map((digit) => `body:${digit.repeat(64)}`);
    for (const [n, id] of ids.entries()) await failed('seats', id, at(n));
    vi.setSystemTime(BEGIN + 180_000);
    const { text } = await page(9);
    const lines = text.split('\n').filter((line) => line.includes('trips/seats'));
    expect(lines).toEqual([
      expect.stringMatching(/^3 min ago {2}trips\/seats {2}body:2222222 {2}/),
      expect.stringMatching(/^3 min ago {2}trips\/seats {2}body:1111111 {2}/),
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(text).toMatch(/the newest: trips failures show seats body:2222222$/);
    const { json } = await showFailure(context, { consumer: 'seats', messageId: 'body:2222222', payload: false });
    expect(json).toMatchObject({ failure: { messageId: ids[1] } });
  });
});

test('a stack names the lines of the sources, where the map of that build is here', async () => {
  const [listener] = listListeners([service]);
  if (!listener) throw new Error('no listener');
  const entry = `test-of-stacks-${process.pid}`;
  const folder = join(SOURCE_MAPS, entry);
  mkdirSync(folder, { recursive: true });
  const map = { version: 3, file: `${entry}@0123abcd.js`, sources: ['lambdas/seats.ts'], names: [], mappings: 'AAEA' };
  writeFileSync(join(folder, 'index.js.map'), JSON.stringify(map));
  const stack = ['0123abcd', 'ffffffff'].map((content) => `at Ad (${entry}@${content}.js:1:1)`);
  const failures = [{ at: at(0), name: 'Late', message: '', stack }];
  const record = { pk: 'seats@0#m', status: 'FAILED' as const, failures };
  const { text } = await showRecord(context, { listener, messageId: 'm', record }, { payload: false });
  rmSync(folder, { recursive: true });
  expect(text).toContain(`\n      at Ad (lambdas/seats.ts:3:1)\n      at Ad (${entry}@ffffffff.js:1:1)\n`);
});
