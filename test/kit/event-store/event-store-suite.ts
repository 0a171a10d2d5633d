import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Evolution } from '../../../packages/kit/decider/decider.js';
import { AggregateDeleted, type EventStore } from '../../../packages/kit/event-store/event-store.js';
import type { AnyEvent, ServiceContract } from '../../../packages/kit/messages/contract.js';
import {
  buildTrace,
  countedEvent,
  evolution,
  type Tally,
  type TallyEvent,
  tallyContract,
} from '../../support/tally.js';

/** A store of tallies over what this adapter holds: two of them are two releases over one table. */
export type StoreOf = <State, Event extends AnyEvent>(
  contract: ServiceContract,
  evolution: Evolution<State, Event>,
) => EventStore<State, Event>;

const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

/** Appends one commit on what is there now. */
export async function append<State, Event extends AnyEvent>(
  store: EventStore<State, Event>,
  id: string,
  events: readonly Event[],
  trigger: string = randomUUID(),
) {
  const commit = store.buildCommit(await store.load(id), events, buildTrace(trigger));
  await store.append(commit);
  return commit;
}

/** Appends commits of so many events each, every event counting 1. @returns the aggregate's id */
async function written(store: EventStore<Tally, TallyEvent>, commits: readonly number[]): Promise<string> {
  const id = randomUUID();
  for (const [at, events] of commits.entries()) await append(store, id, times(events, countedEvent(1)), `t${at}`);
  return id;
}

/** The promise of {@link EventStore}: each adapter passes it. */
export function eventStoreSuite(adapter: string, storeOf: StoreOf): void {
  const tallies = (stateSchema = 1) => storeOf(tallyContract, evolution(stateSchema));

  describe(`${adapter}: loading`, () => {
    test('an aggregate that does not exist has version 0', async () => {
      expect(await tallies().load(randomUUID())).toMatchObject({ version: 0, state: { sum: 0 }, commits: [] });
    });

    test('gives what was appended, and what the writer thought it would be', async () => {
      const store = tallies();
      const id = await written(store, [2, 1]);
      const before = await store.load(id);
      const commit = await append(store, id, [countedEvent(5), countedEvent(-1)]);
      const { state, version } = store.applyCommit(before, commit);
      expect(await store.load(id)).toMatchObject({ state, version });
      expect({ state, version }).toEqual({ state: { sum: 7, events: 5 }, version: 5 });
    });

    test('reads back to the newest snapshot and no further', async () => {
      const store = tallies();
      const { commits } = await store.load(await written(store, times(43, 1)));
      expect(commits.map(({ lastVersion }) => lastVersion)).toEqual([40, 41, 42, 43]);
      expect(commits[0]!.snapshot).toEqual({ schema: 1, state: JSON.stringify({ sum: 40, events: 40 }) });
    });

    test('an aggregate is loaded at a version, also in the middle of a commit, and not at one that is missing', async () => {
      const store = tallies();
      const id = await written(store, [3, 20, 3]);
      for (const version of [1, 2, 3, 4, 19, 20, 21, 23, 24, 26]) {
        expect(await store.loadVersion(id, version)).toMatchObject({
          version,
          state: { sum: version, events: version },
        });
      }
      for (const version of [-1, 0, 27, 5_000]) expect(await store.loadVersion(id, version)).toBeUndefined();
      expect(await store.loadVersion(randomUUID(), 1)).toBeUndefined();
    });

    test('an aggregate is loaded at a time by the last commit not after it, and not before the first', async () => {
      const store = tallies();
      const id = randomUUID();
      const moments = ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00.003Z'];
      // Three commits of one millisecond each, and a snapshot in the middle of one.
      for (const [at, moment] of moments.flatMap((moment) => times(3, moment)).entries()) {
        const commit = store.buildCommit(await store.load(id), times(5, countedEvent(1)), buildTrace(`t${at}`));
        await store.append({ ...commit, at: moment });
      }
      for (const [at, moment] of moments.entries()) {
        expect(await store.loadAt(id, moment)).toMatchObject({ version: 15 * (at + 1), state: { sum: 15 * (at + 1) } });
      }
      expect(await store.loadAt(id, '2026-01-01T00:00:00.000Z')).toBeUndefined();
      expect(await store.loadAt(id, '2999-01-01T00:00:00.000Z')).toMatchObject({ version: 45 });
    });

    test('an aggregate is not there at a time before its only commit', async () => {
      const store = tallies();
      for (const events of [1, 30]) {
        const id = await written(store, [events]);
        expect(await store.loadAt(id, '2000-01-01T00:00:00.000Z')).toBeUndefined();
      }
    });
  });

  describe(`${adapter}: snapshots`, () => {
    test('stand on the first commit that crosses a multiple of 20', async () => {
      const store = tallies();
      const id = await written(store, [7, 7, 7, 7, 7, 7]);
      const found: boolean[] = [];
      for (const version of [7, 14, 21, 28, 35, 42]) {
        found.push((await store.loadVersion(id, version))!.commits.at(-1)!.snapshot !== undefined);
      }
      expect(found).toEqual([false, false, true, false, false, true]);
      expect(await store.load(id)).toMatchObject({ version: 42, state: { sum: 42, events: 42 } });
    });

    test('snapshots of another state schema, older or newer, are ignored, and the next commit has a new one', async () => {
      for (const [one, other] of [
        [1, 2],
        [2, 1],
      ] as const) {
        const id = await written(tallies(one), times(22, 1));
        const store = tallies(other);
        expect(await store.load(id)).toMatchObject({ version: 22, state: { sum: 22 }, snapshotOutdated: true });
        expect(await store.loadVersion(id, 21)).toMatchObject({ state: { sum: 21, events: 21 } });
        const commit = await append(store, id, [countedEvent(1)]);
        expect(commit.snapshot).toEqual({ schema: other, state: JSON.stringify({ sum: 23, events: 23 }) });
        const again = await store.load(id);
        expect(again).toMatchObject({ version: 23, snapshotOutdated: false });
        expect(again.commits).toHaveLength(1);
        expect((await append(store, id, [countedEvent(1)])).snapshot).toBeUndefined();
      }
    });

    test('snapshots of another state schema in front of a good one are ignored, and replaced', async () => {
      const id = await written(tallies(2), times(20, 1));
      for (let at = 0; at < 20; at++) await append(tallies(1), id, [countedEvent(1)]);
      expect(await tallies(2).load(id)).toMatchObject({ version: 40, state: { sum: 40 }, snapshotOutdated: true });
    });
  });

  describe(`${adapter}: the history`, () => {
    test('comes in pages, which may end in the middle of a commit, each event once', async () => {
      const store = tallies();
      const id = await written(store, [1, 5, 2, 4]);
      const whole = (await store.history(id, { commit: 1, shown: 0 }, 100)).items;
      expect(whole.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      expect(whole[1]).toMatchObject({ causationId: 't1', actor: 'customer:alice', type: 'Counted', data: { by: 1 } });
      for (let limit = 1; limit <= 12; limit++) {
        const found = [];
        let from: { commit: number; shown: number } | undefined = { commit: 1, shown: 0 };
        while (from) {
          const page: Awaited<ReturnType<typeof store.history>> = await store.history(id, from, limit);
          expect(page.items.length).toBeGreaterThan(0);
          found.push(...page.items);
          from = page.next;
        }
        expect(found).toEqual(whole);
      }
    });

    test('says on whose behalf a service acted, and only then', async () => {
      const store = tallies();
      const id = await written(store, [1]);
      const trace = { ...buildTrace('m1'), actor: 'service:tallies', onBehalfOf: 'customer:alice' };
      await store.append(store.buildCommit(await store.load(id), [countedEvent(1)], trace));
      const { items } = await store.history(id, { commit: 1, shown: 0 }, 100);
      expect(items[0]).not.toHaveProperty('onBehalfOf');
      expect(items[1]).toMatchObject({ actor: 'service:tallies', onBehalfOf: 'customer:alice', causationId: 'm1' });
    });
  });

  describe(`${adapter}: appending`, () => {
    test('one of three writers at one version wins, and the others get what is stored', async () => {
      const store = tallies();
      const id = await written(store, [1]);
      const loaded = await store.load(id);
      const commits = ['a', 'b', 'c'].map((trigger) =>
        store.buildCommit(loaded, [countedEvent(1)], buildTrace(trigger)),
      );
      const outcomes = await Promise.allSettled(commits.map((commit) => store.append(commit)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const winner = commits[outcomes.findIndex(({ status }) => status === 'fulfilled')]!;
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') {
          expect(outcome.reason).toMatchObject({ name: 'VersionTaken', existing: { trigger: winner.trigger } });
        }
      }
      expect((await store.load(id)).commits.at(-1)).toEqual(winner);
    });

    test('the same commit again finds itself: that is how a lost answer is recognised', async () => {
      const store = tallies();
      const commit = await append(store, randomUUID(), [countedEvent(1)], 'mine');
      await expect(store.append(commit)).rejects.toMatchObject({ name: 'VersionTaken', existing: { trigger: 'mine' } });
    });

    test("the time of an aggregate's commits never runs back", async () => {
      const store = tallies();
      const id = randomUUID();
      const commit = store.buildCommit(await store.load(id), [countedEvent(1)], buildTrace('x'));
      await store.append({ ...commit, at: '2999-01-01T00:00:00.000Z' });
      expect((await append(store, id, [countedEvent(1)])).at).toBe('2999-01-01T00:00:00.000Z');
    });

    test('ends with the event that deletes: commands are refused, and the history stays', async () => {
      const store = tallies();
      const id = await written(store, [2]);
      await append(store, id, [{ type: 'Closed', data: {} }]);
      const loaded = await store.load(id);
      expect(loaded).toMatchObject({ version: 3, state: { closed: true } });
      expect(() => store.buildCommit(loaded, [countedEvent(1)], buildTrace('late'))).toThrow(AggregateDeleted);
      expect((await store.history(id, { commit: 1, shown: 0 }, 10)).items).toHaveLength(3);
      expect(await store.loadVersion(id, 2)).toMatchObject({ state: { sum: 2 } });
    });
  });
}
