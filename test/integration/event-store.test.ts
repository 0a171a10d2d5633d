import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventStoreSuite, type StoreOf } from '../lambdas/patterns/event-store/event-store-suite.js';
import { releasesSuite } from '../lambdas/patterns/event-store/releases-suite.js';
import { counted, evolution, type Tally, type TallyEvent, tallyContract, traceOf } from '../support/tally.js';
import { ownTables } from './own-tables.js';

// The table's name is in the environment before anything of `lambdas` is imported.
const tables = await ownTables();
const { DynamoDbEventStore } = await import('../../lambdas/patterns/event-store/dynamodb-event-store.js');
const dynamodb = await import('../../lambdas/platform/dynamodb.js');

/** What was sent to DynamoDB since the test began. */
let sent: string[] = [];
beforeAll(() => {
  dynamodb.documents.middlewareStack.add(
    (next, context) => (args) => {
      sent.push(context.commandName ?? '');
      return next(args);
    },
    { step: 'initialize' },
  );
});
afterAll(() => tables.drop());
beforeEach(() => {
  sent = [];
});

const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];
const settings = { table: tables.table, aggregate: 'Tally', feedShards };
const storeOf: StoreOf = (contract, evolution) => new DynamoDbEventStore({ ...settings, contract }, evolution);
eventStoreSuite('in DynamoDB', storeOf);
// The unit tests play twenty, on the same DynamoDB without the emulator around it.
releasesSuite('in DynamoDB', storeOf, 2);

const store = new DynamoDbEventStore<Tally, TallyEvent>({ ...settings, contract: tallyContract }, evolution());

/** Appends commits of so many events each, every event counting 1; the aggregate's id. */
async function written(commits: readonly number[], pad?: string): Promise<string> {
  const id = randomUUID();
  for (const [at, events] of commits.entries()) await append(id, Array(events).fill(counted(1, pad)), `t${at}`);
  return id;
}

async function append(id: string, events: readonly TallyEvent[], trigger: string = randomUUID()) {
  const commit = store.commit(await store.load(id), events, traceOf(trigger));
  await store.append(commit);
  return commit;
}

const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

describe('loading an aggregate', () => {
  test('is one query, whether it has 5 events or 45', async () => {
    for (const events of [5, 45]) {
      const id = await written(times(events, 1));
      sent = [];
      const loaded = await store.load(id);
      expect(sent).toEqual(['QueryCommand']);
      expect(loaded).toMatchObject({ version: events, state: { sum: events, events } });
      expect(loaded.commits.length).toBeLessThanOrEqual(20);
    }
  });

  test('pages are followed where 20 commits pass 1 MB', async () => {
    const id = await written(times(6, 1), 'x'.repeat(300_000));
    sent = [];
    expect(await store.load(id)).toMatchObject({ version: 6, state: { sum: 6 } });
    expect(sent.length).toBeGreaterThan(1);
    expect((await store.history(id, { commit: 1, shown: 0 }, 100)).items).toHaveLength(6);
  }, 60_000);
});

describe('appending', () => {
  test('what is above 400 KB is refused before it is sent, with an error that says so', async () => {
    const loaded = await store.load(randomUUID());
    const commit = store.commit(loaded, [counted(1, 'x'.repeat(410_000))], traceOf('x'));
    sent = [];
    await expect(store.append(commit)).rejects.toThrow(/above DynamoDB's 409600/);
    expect(sent).toEqual([]);
  });
});
