import { describe, expect, test } from 'vitest';
import { dynamoDbTable, type Table } from '../../../packages/kit/aws/table.js';
import { ContractViolation } from '../../../packages/kit/messages/contract.js';
import { StateStore } from '../../../packages/kit/state-store/state-store.js';
import { createTable, InMemoryTables } from '../../../packages/kit/testing/in-memory-tables.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { modelledTables } from '../../support/modelled-tables.js';
import { buildTrace } from '../../support/tally.js';
import { type Course, type CourseStore, courses, setSeats } from './example.js';

/** One suite for the store over each table. */

inProcessDynamoDb({ courses: ['pk', 'sk'] });
const TABLES: readonly (readonly [string, Table])[] = [
  ['in DynamoDB', dynamoDbTable('courses')],
  ['in memory', createTable(new InMemoryTables(), 'courses')],
  ["in the simulator's model", createTable(modelledTables({ courses: ['pk', 'sk'] }), 'courses')],
];

describe.each(TABLES)('a state store %s', (_, table) => {
  const settings = { table, feedShards: [], commitSeconds: 3_600 };
  const courseStore: CourseStore = new StateStore(courses, settings);
  const trace = buildTrace('request');
  const set = (id: string, seats: number) => setSeats(courseStore, id, seats, trace);
  const changed = (id: string, before: Course | undefined, seats: number) => {
    const commit = courseStore.buildCommit(id, before, [{ type: 'SeatsSet', data: { courseId: id, seats } }], trace);
    const after = { version: commit.lastVersion, at: commit.at, seats };
    return { commit, append: courseStore.appendWrite(commit), state: courseStore.stateWrite(id, before, after) };
  };

  test('knows nothing of an aggregate that was never written', async () => {
    expect(await courseStore.read('never')).toBeUndefined();
  });

  test('shows the newest state with its version, in a copy of its own', async () => {
    await set('newest', 20);
    await set('newest', 25);
    const read = await courseStore.read('newest');
    expect(read).toMatchObject({ seats: 25, version: 2 });
    Object.assign(read ?? {}, { seats: 0 });
    expect(await courseStore.read('newest')).toMatchObject({ seats: 25 });
  });

  test('publishes each change by a commit that expires after the deduplication window', async () => {
    const before = Date.now();
    await set('published', 20);
    const after = Date.now();
    const item = await table.read({ pk: 'Course#published', sk: 'COMMIT#0000000001' });
    expect(item).toMatchObject({ lastVersion: 1, events: [{ type: 'SeatsSet' }] });
    const writtenAt = Number(item?.expiresAt) - 3_600;
    expect(writtenAt).toBeGreaterThanOrEqual(Math.floor(before / 1000));
    expect(writtenAt).toBeLessThanOrEqual(Math.ceil(after / 1000));
  });

  test('says what the first commit of an epoch follows, and that of the next one nothing', async () => {
    await set('restored', 20);
    const restored: CourseStore = new StateStore(courses, { ...settings, epoch: 2 });
    for (const seats of [25, 30]) await setSeats(restored, 'restored', seats, trace);
    const [first, second] = [2, 3].map((version) => `COMMIT#${String(version).padStart(10, '0')}`);
    expect(await table.read({ pk: 'Course#restored', sk: first ?? '' })).toMatchObject({
      epoch: 2,
      follows: { epoch: 0, sequence: 1 },
    });
    const next = await table.read({ pk: 'Course#restored', sk: second ?? '' });
    expect(next).toMatchObject({ epoch: 2 });
    expect(next).not.toHaveProperty('follows');
    expect(await courseStore.read('restored')).toMatchObject({ seats: 30, version: 3, epoch: 2 });
  });

  test('keeps the epoch of the newest commit where a state is written without one', async () => {
    const restored: CourseStore = new StateStore(courses, { ...settings, epoch: 1 });
    await set('uncommitted', 20);
    const before = await courseStore.read('uncommitted');
    await table.transact([restored.stateWrite('uncommitted', before, { ...(before as Course), seats: 21 })]);
    expect(await courseStore.read('uncommitted')).not.toHaveProperty('epoch');
  });

  test('lets one of two first writers win', async () => {
    const [one, other] = [changed('first', undefined, 20), changed('first', undefined, 25)];
    await table.transact([one.append, one.state]);
    await expect(table.transact([other.append, other.state])).rejects.toMatchObject({ name: 'TransactionRefused' });
    expect(await courseStore.read('first')).toMatchObject({ seats: 20, version: 1 });
  });

  test('keeps a commit for the deduplication window in force now', () => {
    const windows = [
      { from: '1970-01-01T00:00:00.000Z', seconds: 100 },
      { from: new Date(Date.now() - 1_000).toISOString(), seconds: 200 },
    ];
    const store: CourseStore = new StateStore(courses, { ...settings, commitSeconds: windows });
    const { at, expiresAt } = store.buildCommit(
      'kept',
      undefined,
      [{ type: 'SeatsSet', data: { courseId: 'kept', seats: 1 } }],
      trace,
    );
    expect(Number(expiresAt) - Math.floor(Date.parse(at) / 1000)).toBeGreaterThan(100);
  });

  test("refuses the state of an outdated reader, though its commit's key is free again", async () => {
    await set('outdated', 20);
    const before = await courseStore.read('outdated');
    await set('outdated', 25);
    const late = changed('outdated', before, 30);
    // As after the deduplication window: the rival's commit has expired.
    await table.transact([{ Delete: { TableName: 'courses', Key: { pk: late.commit.pk, sk: late.commit.sk } } }]);
    const refused = await table.transact([late.append, late.state]).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'TransactionRefused' });
    const { conditionFailedFor } = refused as { conditionFailedFor(write: object): boolean };
    expect([late.append, late.state].map((write) => conditionFailedFor.call(refused, write))).toEqual([false, true]);
    expect(await courseStore.read('outdated')).toMatchObject({ seats: 25, version: 2 });
    expect(await table.read({ pk: late.commit.pk, sk: late.commit.sk })).toBeUndefined();
  });

  test('writers that meet apply each change once, one after the other', async () => {
    await set('together', 1);
    await Promise.all([set('together', 2), set('together', 3)]);
    expect(await courseStore.read('together')).toMatchObject({ version: 3 });
  });

  test('refuses an event that breaks its contract', () => {
    expect(() => changed('broken', undefined, 0.5)).toThrow(ContractViolation);
  });
});
