import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { EventStore } from '../../../packages/kit/event-store/event-store.js';
import type { Commit } from '../../../packages/kit/messages/commit.js';
import { Random } from '../../../packages/simulator/engine/random.js';
import {
  buildTrace,
  countedEvent,
  evolution,
  type LaterEvent,
  type LaterTally,
  laterContract,
  laterEvolution,
  tallyContract,
} from '../../support/tally.js';
import { append, type StoreOf } from './event-store-suite.js';

const later = (by: number): LaterEvent => ({ type: 'Counted', data: { by, counter: 'bob' } });

/** A release meets what the one before and the one after it have written, in the middle of a deployment or after a rollback. */
export function releasesSuite(adapter: string, storeOf: StoreOf): void {
  /** The first release; the one that learns to read version 2 of an event; the one that writes it. */
  const first = storeOf(tallyContract, evolution());
  const reading: EventStore<LaterTally, LaterEvent> = storeOf(laterContract(1), laterEvolution);
  const writing: EventStore<LaterTally, LaterEvent> = storeOf(laterContract(2), laterEvolution);
  const commitBy: Record<
    'first' | 'reading' | 'writing',
    (id: string, by: number[], trigger: string) => Promise<Commit>
  > = {
    first: async (id, by, trigger) =>
      first.buildCommit(
        await first.load(id),
        by.map((n) => countedEvent(n)),
        buildTrace(trigger),
      ),
    reading: async (id, by, trigger) => reading.buildCommit(await reading.load(id), by.map(later), buildTrace(trigger)),
    writing: async (id, by, trigger) => writing.buildCommit(await writing.load(id), by.map(later), buildTrace(trigger)),
  };

  describe(`${adapter}: releases in the middle of traffic`, () => {
    test('the previous release reads what the reading release writes, so a rollback is possible', async () => {
      const id = randomUUID();
      await append(first, id, [countedEvent(1)]);
      const commit = await append(reading, id, [later(2)]);
      expect(commit.events[0]).toMatchObject({ schemaVersion: 1, data: '{"by":2}' });
      expect(await first.load(id)).toMatchObject({ state: { sum: 3 } });
    });

    test('the reading release reads what the writing one writes, and the first one refuses it without a guess', async () => {
      const id = randomUUID();
      await append(first, id, [countedEvent(1)]);
      expect((await append(writing, id, [later(2)])).events[0]).toMatchObject({ schemaVersion: 2 });
      const state = { total: 3, counters: ['bob', 'somebody'] };
      expect(await reading.load(id)).toMatchObject({ state });
      await expect(first.load(id)).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    });

    test('a snapshot holds what can be read again, not what an older version leaves out', async () => {
      const id = randomUUID();
      const commit = await append(reading, id, Array<LaterEvent>(20).fill(later(1)));
      expect(commit.snapshot).toEqual({
        schema: 2,
        state: JSON.stringify({ total: 20, counters: ['somebody'] }),
      });
    });

    test.each(Array.from({ length: 20 }, (_, seed) => seed))(
      'a fold from a snapshot is the fold from the beginning, at each version and time (random history %i)',
      async (seed) => {
        const random = new Random(`history ${seed}`);
        const id = randomUUID();
        const moments: { readonly at: string; readonly version: number }[] = [];
        let now = Date.parse('2026-01-01T00:00:00.000Z');
        const length = random.between(5, 60);
        for (let step = 0; step < length; step++) {
          const by = Array.from({ length: random.between(1, 6) }, () => random.between(-9, 9));
          // Two releases at a time: in the middle the next one comes, and the first has gone.
          const release = random.pick(
            step < length / 2 ? (['first', 'reading'] as const) : (['reading', 'writing'] as const),
          );
          now += random.between(0, 2);
          const at = new Date(now).toISOString();
          const commit = await commitBy[release](id, by, `t${step}`);
          await first.append({ ...commit, at });
          moments.push({ at, version: commit.lastVersion });
        }
        const { items } = await writing.history(id, { commit: 1, shown: 0 }, 1_000);
        const foldedTo = (version: number) =>
          items
            .slice(0, version)
            .reduce((state, { data }) => laterEvolution.evolve(state, { type: 'Counted', data } as LaterEvent), {
              ...laterEvolution.initialState,
            });
        for (const store of [reading, writing]) {
          expect(await store.load(id)).toMatchObject({ version: items.length, state: foldedTo(items.length) });
          for (let version = 1; version <= items.length; version += random.between(1, 7)) {
            expect((await store.loadVersion(id, version))!.state).toEqual(foldedTo(version));
          }
          for (const { at } of moments.filter(() => random.chance(0.3))) {
            const { version } = moments.findLast((moment) => moment.at === at)!;
            expect(await store.loadAt(id, at)).toMatchObject({ version, state: foldedTo(version) });
          }
        }
      },
    );
  });
}
