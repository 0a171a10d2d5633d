import { expect, test } from 'vitest';
import type { Evolution } from '../../../packages/kit/decider/decider.js';
import { type CommitRange, FoldingEventStore } from '../../../packages/kit/event-store/folding-event-store.js';
import { type Commit, commitKey } from '../../../packages/kit/messages/commit.js';
import { evolution, type Tally, type TallyEvent, tallyContract } from '../../support/tally.js';

const BEGIN = Date.parse('2020-01-01T00:00:00.000Z');
const COMMITS = 100_000;
const EVENTS = 3;
const SNAPSHOT_EVERY = 20;

/** A tally with 100,000 commits of three events, one a minute, which are made when they are read. */
class LongHistory extends FoldingEventStore<Tally, TallyEvent, Evolution<Tally, TallyEvent>> {
  calls = 0;
  commitsRead = 0;

  constructor() {
    super({ table: 'tallies', aggregate: 'Tally', contract: tallyContract, feedShards: [] }, evolution());
  }

  append(): Promise<void> {
    throw new Error('nothing is written here');
  }

  protected async *readCommits(_: string, { from, to, pageSize }: CommitRange): AsyncIterable<Commit> {
    const newest = Math.min(COMMITS, Math.floor((to - 1) / EVENTS) + 1);
    for (let number = newest, inPage = 0; (number - 1) * EVENTS + 1 >= from; number--, inPage++) {
      if (inPage % pageSize === 0) this.calls++;
      this.commitsRead++;
      yield commitOf(number);
    }
  }
}

/** @param number of the commit, from 1 */
function commitOf(number: number): Commit {
  const [first, last] = [(number - 1) * EVENTS + 1, number * EVENTS];
  const event = { id: 'event', type: 'Counted', schemaVersion: 1, data: JSON.stringify({ by: 1 }) };
  const hasSnapshot = Math.floor(last / SNAPSHOT_EVERY) > Math.floor((first - 1) / SNAPSHOT_EVERY);
  return {
    sk: commitKey(first),
    lastVersion: last,
    at: timeOf(number),
    events: Array.from({ length: EVENTS }, () => event),
    ...(hasSnapshot && {
      snapshot: { schema: evolution().stateSchema, state: JSON.stringify({ sum: last, events: last }) },
    }),
  } as unknown as Commit;
}

const timeOf = (number: number): string => new Date(BEGIN + number * 60_000).toISOString();

test.each([1, 2, 33, 20_000, 66_667, 99_999, COMMITS])(
  'the state at the time of commit %i of 100,000 is found in at most 20 calls',
  async (number) => {
    const store = new LongHistory();
    const loaded = await store.loadAt('long', timeOf(number));
    expect(loaded).toMatchObject({ version: number * EVENTS, state: { sum: number * EVENTS } });
    expect(store.calls).toBeLessThanOrEqual(20);
    expect(store.commitsRead).toBeLessThanOrEqual(60);
  },
);

test('the time before the first commit is found so, too', async () => {
  const store = new LongHistory();
  expect(await store.loadAt('long', timeOf(0))).toBeUndefined();
  expect(store.calls).toBeLessThanOrEqual(20);
});
