import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OwnTables, ownTables } from './own-tables.js';
import { counted, evolution, type Tally, type TallyEvent, tallyContract, traceOf } from './tally.js';

type Store = InstanceType<
  typeof import('../../lambdas/patterns/event-store/dynamodb-event-store.js').DynamoDbEventStore<Tally, TallyEvent>
>;

let tables: OwnTables;
let lambdas: typeof import('../../lambdas/patterns/event-store/dynamodb-event-store.js');
let dynamodb: typeof import('../../lambdas/platform/dynamodb.js');
/** What was sent to DynamoDB since the test began. */
let sent: string[] = [];

beforeAll(async () => {
  tables = await ownTables();
  lambdas = await import('../../lambdas/patterns/event-store/dynamodb-event-store.js');
  dynamodb = await import('../../lambdas/platform/dynamodb.js');
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

const storeOf = (stateSchema = 1): Store =>
  new lambdas.DynamoDbEventStore(
    {
      table: tables.table,
      aggregate: 'Tally',
      contract: tallyContract,
      feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }],
    },
    evolution(stateSchema),
  );

/** Appends commits of so many events each, every event counting 1; the aggregate's id. */
async function written(store: Store, commits: readonly number[], pad?: string): Promise<string> {
  const id = randomUUID();
  for (const [at, events] of commits.entries()) await append(store, id, Array(events).fill(counted(1, pad)), `t${at}`);
  return id;
}

async function append(store: Store, id: string, events: readonly TallyEvent[], trigger: string = randomUUID()) {
  const commit = store.commit(await store.load(id), events, traceOf(trigger));
  await store.append(commit);
  return commit;
}

const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

describe('loading an aggregate', () => {
  test('that is not there is version 0', async () => {
    expect(await storeOf().load(randomUUID())).toMatchObject({ version: 0, state: { sum: 0 }, commits: [] });
  });

  test('is one query, whether it has 5 events or 45', async () => {
    const store = storeOf();
    for (const events of [5, 45]) {
      const id = await written(store, times(events, 1));
      sent = [];
      const loaded = await store.load(id);
      expect(sent).toEqual(['QueryCommand']);
      expect(loaded).toMatchObject({ version: events, state: { sum: events, events } });
      expect(loaded.commits.length).toBeLessThanOrEqual(20);
    }
  });

  test('reads back to the newest snapshot and no further', async () => {
    const store = storeOf();
    const id = await written(store, times(43, 1));
    const { commits } = await store.load(id);
    expect(commits.map(({ lastVersion }) => lastVersion)).toEqual([40, 41, 42, 43]);
    expect(commits[0]!.snapshot).toEqual({ schema: 1, state: JSON.stringify({ sum: 40, events: 40 }) });
  });

  test('a snapshot stands on the first commit that crosses a multiple of 20', async () => {
    const store = storeOf();
    const id = await written(store, [7, 7, 7, 7, 7, 7]);
    const items = [];
    for (const version of [7, 14, 21, 28, 35, 42]) {
      const commits = (await store.loadVersion(id, version))!.commits;
      items.push(commits.at(-1)!.snapshot !== undefined);
    }
    expect(items).toEqual([false, false, true, false, false, true]);
    expect(await store.load(id)).toMatchObject({ version: 42, state: { sum: 42, events: 42 } });
  });

  test('a snapshot of an older state is ignored, and the next commit carries a new one', async () => {
    const id = await written(storeOf(1), times(22, 1));
    const newer = storeOf(2);
    const loaded = await newer.load(id);
    expect(loaded).toMatchObject({ version: 22, state: { sum: 22, events: 22 }, snapshotOutdated: true });
    const commit = await append(newer, id, [counted(1)]);
    expect(commit.snapshot).toEqual({ schema: 2, state: JSON.stringify({ sum: 23, events: 23 }) });
    const again = await newer.load(id);
    expect(again).toMatchObject({ version: 23, snapshotOutdated: false });
    expect(again.commits).toHaveLength(1);
    expect((await append(newer, id, [counted(1)])).snapshot).toBeUndefined();
  });

  test('pages are followed where 20 commits pass 1 MB', async () => {
    const store = storeOf();
    const id = await written(store, times(6, 1), 'x'.repeat(300_000));
    sent = [];
    expect(await store.load(id)).toMatchObject({ version: 6, state: { sum: 6 } });
    expect(sent.length).toBeGreaterThan(1);
    expect((await store.history(id, { commit: 1, shown: 0 }, 100)).items).toHaveLength(6);
  }, 60_000);

  test('at a version: also in the middle of a commit, and nothing where there is none', async () => {
    const store = storeOf();
    const id = await written(store, [3, 20, 3]);
    for (const version of [1, 2, 3, 4, 19, 20, 21, 23, 24, 26]) {
      expect(await store.loadVersion(id, version)).toMatchObject({ version, state: { sum: version, events: version } });
    }
    for (const version of [-1, 0, 27, 5_000]) expect(await store.loadVersion(id, version)).toBeUndefined();
    expect(await store.loadVersion(randomUUID(), 1)).toBeUndefined();
  });

  test('at a time: the last commit not after it, and nothing before the first', async () => {
    const store = storeOf();
    const id = await written(store, times(22, 1));
    const { items } = await store.history(id, { commit: 1, shown: 0 }, 100);
    for (const { at } of [items[0]!, items[10]!, items[21]!]) {
      expect(await store.loadAt(id, at)).toMatchObject({
        version: items.findLast((entry) => entry.at === at)!.version,
      });
    }
    expect(await store.loadAt(id, '2020-01-01T00:00:00.000Z')).toBeUndefined();
    expect(await store.loadAt(id, '2999-01-01T00:00:00.000Z')).toMatchObject({ version: 22 });
  });
});

describe('the history', () => {
  test('comes in pages, which may end in the middle of a commit, each event once', async () => {
    const store = storeOf();
    const id = await written(store, [1, 5, 2, 4]);
    const whole = (await store.history(id, { commit: 1, shown: 0 }, 100)).items;
    expect(whole.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(whole[1]).toMatchObject({ causationId: 't1', actor: 'customer:alice', type: 'Counted', data: { by: 1 } });
    for (let limit = 1; limit <= 12; limit++) {
      const found = [];
      let from: { commit: number; shown: number } | undefined = { commit: 1, shown: 0 };
      while (from) {
        const page: Awaited<ReturnType<Store['history']>> = await store.history(id, from, limit);
        expect(page.items.length).toBeGreaterThan(0);
        found.push(...page.items);
        from = page.next;
      }
      expect(found).toEqual(whole);
    }
  });
});

describe('appending', () => {
  test('at one version, one of two wins, and the other is shown what stands there', async () => {
    const store = storeOf();
    const id = await written(store, [1]);
    const loaded = await store.load(id);
    const commits = ['a', 'b', 'c'].map((trigger) => store.commit(loaded, [counted(1)], traceOf(trigger)));
    const outcomes = await Promise.allSettled(commits.map((commit) => store.append(commit)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = commits[outcomes.findIndex(({ status }) => status === 'fulfilled')]!;
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toBeInstanceOf(dynamodb.ItemExists);
      expect(outcome.reason.existing).toMatchObject({ trigger: winner.trigger });
    }
    expect((await store.load(id)).version).toBe(2);
  });

  test('as a part of a transaction, a lost race writes nothing', async () => {
    const store = storeOf();
    const [id, other] = [await written(store, [1]), randomUUID()];
    const stale = await store.load(id);
    const nothing = await store.load(other);
    await append(store, id, [counted(1)]);
    const writes = [
      store.appendWrite(store.commit(nothing, [counted(1)], traceOf('x'))),
      store.appendWrite(store.commit(stale, [counted(1)], traceOf('x'))),
    ] as const;
    const error = await dynamodb.transact(writes).catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(dynamodb.TransactionRefused);
    const refused = error as InstanceType<typeof dynamodb.TransactionRefused>;
    expect([refused.because(writes[0]), refused.because(writes[1])]).toEqual([false, true]);
    expect((await store.load(other)).version).toBe(0);
  });

  test('a decision without events is refused where the aggregate has gone on', async () => {
    const store = storeOf();
    const id = await written(store, [1]);
    const loaded = await store.load(id);
    const other = () => store.appendWrite(store.commit({ ...loaded, id: randomUUID() }, [counted(1)], traceOf('x')));
    await dynamodb.transact([store.unchangedCheck(loaded), other()]);
    await append(store, id, [counted(1)]);
    await expect(dynamodb.transact([store.unchangedCheck(loaded), other()])).rejects.toBeInstanceOf(
      dynamodb.TransactionRefused,
    );
  });

  test('what is above 400 KB is refused before it is sent, with an error that says so', async () => {
    const store = storeOf();
    const loaded = await store.load(randomUUID());
    const commit = store.commit(loaded, [counted(1, 'x'.repeat(410_000))], traceOf('x'));
    sent = [];
    await expect(store.append(commit)).rejects.toThrow(/above DynamoDB's 409600/);
    expect(sent).toEqual([]);
  });

  test('time never runs backwards within an aggregate', async () => {
    const store = storeOf();
    const id = randomUUID();
    const future = {
      ...store.commit(await store.load(id), [counted(1)], traceOf('x')),
      at: '2999-01-01T00:00:00.000Z',
    };
    await store.append(future);
    expect((await append(store, id, [counted(1)])).at).toBe('2999-01-01T00:00:00.000Z');
  });
});
