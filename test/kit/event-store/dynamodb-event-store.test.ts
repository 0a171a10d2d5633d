import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { TransactionRefused, transact } from '../../../packages/kit/aws/dynamodb.js';
import { DynamoDbEventStore } from '../../../packages/kit/event-store/dynamodb-event-store.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace, countedEvent, evolution, tallyContract } from '../../support/tally.js';
import { eventStoreSuite, type StoreOf } from './event-store-suite.js';
import { releasesSuite } from './releases-suite.js';

const { calls } = inProcessDynamoDb({ tallies: ['pk', 'sk'] });
const feedShards = [{ from: '1970-01-01T00:00:00.000Z', shards: 8 }];
const settings = { table: 'tallies', aggregate: 'Tally', feedShards };

const storeOf: StoreOf = (contract, evolution) => new DynamoDbEventStore({ ...settings, contract }, evolution);
eventStoreSuite('in DynamoDB', storeOf);
releasesSuite('in DynamoDB', storeOf);

describe('an event store in DynamoDB', () => {
  const store = new DynamoDbEventStore({ ...settings, contract: tallyContract }, evolution());
  /** Of about 1 KB each. */
  async function written(commits: number): Promise<string> {
    const id = randomUUID();
    for (let at = 0; at < commits; at++) {
      const commit = store.buildCommit(
        await store.load(id),
        [countedEvent(1, 'x'.repeat(500))],
        buildTrace(randomUUID()),
      );
      await store.append(commit);
    }
    return id;
  }

  test('loading is one query of at most 5 read units, whether there are 5 commits or 205', async () => {
    for (const commits of [5, 205]) {
      const id = await written(commits);
      calls.length = 0;
      expect(await store.load(id)).toMatchObject({ version: commits, state: { sum: commits } });
      expect(calls.map(({ operation }) => operation)).toEqual(['Query']);
      expect(calls[0]!.readUnits).toBeLessThanOrEqual(5);
    }
  });

  test('pages are followed where 20 commits pass 1 MB', async () => {
    const id = randomUUID();
    for (let at = 0; at < 6; at++)
      await store.append(
        store.buildCommit(await store.load(id), [countedEvent(1, 'x'.repeat(300_000))], buildTrace(randomUUID())),
      );
    calls.length = 0;
    expect(await store.load(id)).toMatchObject({ version: 6, state: { sum: 6 } });
    expect(calls.length).toBeGreaterThan(1);
    expect((await store.history(id, { commit: 1, shown: 0 }, 100)).items).toHaveLength(6);
  });

  test('a commit above 400 KB is refused before it is sent, with an error that says so', async () => {
    const commit = store.buildCommit(
      await store.load(randomUUID()),
      [countedEvent(1, 'x'.repeat(410_000))],
      buildTrace('x'),
    );
    calls.length = 0;
    await expect(store.append(commit)).rejects.toThrow(/above DynamoDB's 409600/);
    expect(calls).toEqual([]);
  });

  test('loading by a release that takes no snapshot of these asks no second time at the beginning', async () => {
    const id = await written(20);
    calls.length = 0;
    await new DynamoDbEventStore({ ...settings, contract: tallyContract }, evolution(2)).load(id);
    expect(calls).toHaveLength(1);
  });

  test('a lost race writes nothing if it is a part of a transaction', async () => {
    const [id, other] = [await written(1), randomUUID()];
    const stale = await store.load(id);
    await store.append(store.buildCommit(stale, [countedEvent(1)], buildTrace('rival')));
    const writes = [
      store.appendWrite(store.buildCommit(await store.load(other), [countedEvent(1)], buildTrace('x'))),
      store.appendWrite(store.buildCommit(stale, [countedEvent(1)], buildTrace('x'))),
    ] as const;
    const error = await transact(writes).catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(TransactionRefused);
    const refused = error as TransactionRefused;
    expect([refused.conditionFailedFor(writes[0]), refused.conditionFailedFor(writes[1])]).toEqual([false, true]);
    expect((await store.load(other)).version).toBe(0);
  });

  test('a decision without events is refused if the aggregate has changed meanwhile', async () => {
    const id = await written(1);
    const loaded = await store.load(id);
    const other = () =>
      store.appendWrite(store.buildCommit({ ...loaded, id: randomUUID() }, [countedEvent(1)], buildTrace('x')));
    await transact([store.unchangedCheck(loaded), other()]);
    await store.append(store.buildCommit(loaded, [countedEvent(1)], buildTrace('rival')));
    await expect(transact([store.unchangedCheck(loaded), other()])).rejects.toBeInstanceOf(TransactionRefused);
  });

  test.each([
    ['with events is their append', [countedEvent(1)], 2],
    ['without events is the check that nothing changed', [], 1],
  ])('the effect of a decision %s', async (_, events, version) => {
    const id = await written(1);
    const loaded = await store.load(id);
    const effect = () => store.toWrite(loaded, events, buildTrace('x'));
    await transact([effect()]);
    expect((await store.load(id)).version).toBe(version);
    if (version === 1) await store.append(store.buildCommit(loaded, [countedEvent(1)], buildTrace('rival')));
    await expect(transact([effect()])).rejects.toBeInstanceOf(TransactionRefused);
  });
});
