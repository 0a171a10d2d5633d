import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { TransactionRefused, type TransactWriteItem } from '../../../packages/kit/aws/dynamodb.js';
import { dynamoDbTable } from '../../../packages/kit/aws/table.js';
import { changeStateOnce } from '../../../packages/kit/idempotent-receiver/change-state-once.js';
import type { IdempotencyKey } from '../../../packages/kit/idempotent-receiver/idempotency-key.js';
import { createKeyRecord } from '../../../packages/kit/idempotent-receiver/key-record.js';
import { StateStore } from '../../../packages/kit/state-store/state-store.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';
import { type Course, type CourseStore, courses } from '../state-store/example.js';

inProcessDynamoDb({ courses: ['pk', 'sk'], records: ['pk'] });
const table = dynamoDbTable('courses');
const store: CourseStore = new StateStore(courses, { table, feedShards: [], commitSeconds: 3_600 });
const records = { table: 'records', windowSeconds: 3_600 };
afterEach(() => vi.restoreAllMocks());

const newKey = (change: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  scope: randomUUID().replaceAll('-', '').repeat(2),
  requestHash: 'the same',
  formerHash: 'the same as 0.2.0 made it',
  ...change,
});

interface Change {
  readonly key?: IdempotencyKey;
  readonly trigger?: string;
  /** Decides by the seats so far. @default ten more */
  readonly seats?: (before: number) => number;
  readonly alongside?: readonly TransactWriteItem[];
}

/** Sets the seats of a course. */
const change = (
  id: string,
  { key = newKey(), trigger = randomUUID(), seats = (before) => before + 10, ...more }: Change = {},
) =>
  changeStateOnce<Course, { readonly type: 'SeatsSet'; readonly data: { courseId: string; seats: number } }>({
    store,
    id,
    record: createKeyRecord(key, records),
    trace: buildTrace(trigger),
    decide: async (before) => {
      const wanted = seats(before?.seats ?? 0);
      return wanted === before?.seats ? [] : [{ type: 'SeatsSet', data: { courseId: id, seats: wanted } }];
    },
    evolve: (before, events) => ({ seats: events.at(-1)?.data.seats ?? before?.seats ?? 0 }),
    ...more,
  });
const course = () => randomUUID();
const seatsOf = async (id: string) => (await store.read(id))?.seats;

test('a change of a state happens once under one key, and each repeat gets the first answer, also after others', async () => {
  const [id, key] = [course(), newKey()];
  expect(await change(id, { key })).toMatchObject({ replayed: false, state: { seats: 10, version: 1 } });
  await change(id);
  expect(await change(id, { key })).toMatchObject({ replayed: true, state: { seats: 10, version: 1 } });
  expect(await store.read(id)).toMatchObject({ seats: 20, version: 2 });
});

test('a change of a state that is sent ten times at once under one key happens once', async () => {
  const [id, key] = [course(), newKey()];
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => change(id, { key })));
  expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(outcomes.map(({ state }) => state?.seats)).toEqual(Array(10).fill(10));
  expect(await seatsOf(id)).toBe(10);
});

test('changes of a state by several callers at once happen one after the other', async () => {
  const id = course();
  await Promise.all([change(id), change(id), change(id)]);
  expect(await store.read(id)).toMatchObject({ seats: 30, version: 3 });
});

test('an attempt whose answer was lost finds its own work, which is no replay', async () => {
  const [id, key] = [course(), newKey()];
  await change(id, { key, trigger: 'this request' });
  expect(await change(id, { key, trigger: 'this request' })).toMatchObject({ replayed: false, state: { seats: 10 } });
});

test('a request that changes nothing is recorded, and stays its answer when it would change something', async () => {
  const [id, key] = [course(), newKey()];
  await change(id);
  const stays = { key, seats: (before: number) => before };
  expect(await change(id, stays)).toMatchObject({ replayed: false, state: { seats: 10 } });
  await change(id);
  expect(await change(id, { key })).toMatchObject({ replayed: true, state: { seats: 10 } });
  expect(await seatsOf(id)).toBe(20);
});

test('a request on a state that was never written is recorded without one', async () => {
  const [id, key] = [course(), newKey()];
  const record = createKeyRecord(key, records);
  const nothing = () =>
    changeStateOnce({
      store,
      id,
      record,
      trace: buildTrace(randomUUID()),
      decide: async () => [],
      evolve: () => ({ seats: 0 }),
    });
  expect(await nothing()).toEqual({ replayed: false, state: undefined });
  expect(await nothing()).toEqual({ replayed: true, state: undefined });
});

test('a key that comes with another request is refused', async () => {
  const [id, key] = [course(), newKey()];
  await change(id, { key });
  await expect(change(id, { key: { ...key, requestHash: 'another' } })).rejects.toMatchObject({ code: 'key-reused' });
});

test('a refused change is not recorded; a refusal that is the request’s own success, seen again, is answered', async () => {
  const [id, key] = [course(), newKey()];
  const full = (): never => {
    throw new RangeError('full');
  };
  await expect(change(id, { key, seats: full })).rejects.toThrow('full');
  expect(await change(id, { key })).toMatchObject({ replayed: false });
  expect(await change(id, { key, seats: full })).toMatchObject({ replayed: true, state: { seats: 10 } });
});

test('a write alongside that is refused refuses the change, and is not taken for a repeat', async () => {
  const [id, key] = [course(), newKey()];
  const Key = { pk: 'nobody', sk: 'x' };
  const exists = { ConditionCheck: { TableName: 'courses', Key, ConditionExpression: 'attribute_exists(pk)' } };
  await expect(change(id, { key, alongside: [exists] })).rejects.toBeInstanceOf(TransactionRefused);
  expect(await seatsOf(id)).toBeUndefined();
  const absent = { ConditionCheck: { TableName: 'courses', Key, ConditionExpression: 'attribute_not_exists(pk)' } };
  expect(await change(id, { key, alongside: [absent] })).toMatchObject({ replayed: false, state: { seats: 10 } });
});

test('a change that fails for another reason ends with that reason', async () => {
  const gone = new RangeError('the table is gone');
  vi.spyOn(store.table, 'transact').mockRejectedValue(gone);
  await expect(change(course())).rejects.toBe(gone);
});
