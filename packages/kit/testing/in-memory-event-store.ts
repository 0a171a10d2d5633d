import { TransactionRefused } from '../aws/dynamodb.js';
import type { Evolution } from '../decider/decider.js';
import { type Aggregate, VersionTaken } from '../event-store/event-store.js';
import { type CommitRange, FoldingEventStore } from '../event-store/folding-event-store.js';
import { type Commit, commitKey } from '../messages/commit.js';
import type { AnyEvent } from '../messages/contract.js';
import { aggregateKey } from '../messages/keys.js';
import { InMemoryTables, type ServiceTables } from './in-memory-tables.js';

/** Name of the table that holds commits and states. */
export const TABLE = 'table';

/**
 * Event store in memory, for tests of code that uses an event store. It keeps the same promises, and every reader gets
 * its own copy.
 * @example
 * const courseStore = new InMemoryEventStore(courses);
 */
export class InMemoryEventStore<
  State,
  Event extends AnyEvent,
  Rules extends Evolution<State, Event> = Evolution<State, Event>,
> extends FoldingEventStore<State, Event, Rules> {
  /**
   * @param tables tables that hold the commits. Stores that share them act like releases over one table.
   * @default tables of its own
   */
  constructor(
    { decider, ...settings }: Aggregate<Rules & Evolution<State, Event>>,
    private readonly tables: ServiceTables = new InMemoryTables(),
  ) {
    super({ ...settings, table: TABLE, feedShards: [] }, decider);
  }

  async append(commit: Commit): Promise<void> {
    try {
      await this.tables.transact([this.appendWrite(commit)]);
    } catch (error) {
      if (!(error instanceof TransactionRefused)) throw error;
      throw new VersionTaken((await this.tables.read(TABLE, commit)) as unknown as Commit);
    }
  }

  protected async *readCommits(id: string, { from, to, order }: CommitRange): AsyncIterable<Commit> {
    const [first, last] = [commitKey(from), commitKey(to)];
    const items = (await this.tables.query(TABLE, aggregateKey(this.aggregate, id))) as unknown as readonly Commit[];
    const found = items.filter(({ sk }) => sk >= first && sk <= last);
    yield* order === 'oldest first' ? found : found.toReversed();
  }
}
