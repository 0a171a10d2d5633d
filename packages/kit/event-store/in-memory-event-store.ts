import type { Evolution } from '../decider/decider.js';
import { type Commit, firstVersionOf } from '../messages/commit.js';
import type { AnyEvent } from '../messages/contract.js';
import { aggregateKey } from '../messages/keys.js';
import { VersionTaken } from './event-store.js';
import { type CommitRange, type EventStoreSettings, FoldingEventStore } from './folding-event-store.js';

/** Commits by the key of their aggregate, oldest first. */
export type Histories = Map<string, readonly Commit[]>;

/**
 * Event store in memory, for tests of code that uses an event store. It keeps the same promises, and every reader gets
 * its own copy.
 */
export class InMemoryEventStore<
  State,
  Event extends AnyEvent,
  Rules extends Evolution<State, Event> = Evolution<State, Event>,
> extends FoldingEventStore<State, Event, Rules> {
  private readonly aggregate: string;

  /**
   * @param histories the stored commits. Stores that share them act like releases over one table.
   * @default an empty store
   */
  constructor(
    settings: Omit<EventStoreSettings, 'feedShards'>,
    decider: Rules & Evolution<State, Event>,
    private readonly histories: Histories = new Map(),
  ) {
    super({ ...settings, feedShards: [] }, decider);
    this.aggregate = settings.aggregate;
  }

  async append(commit: Commit): Promise<void> {
    const history = this.histories.get(commit.pk) ?? [];
    const existing = history.find(({ sk }) => sk === commit.sk);
    if (existing) throw new VersionTaken(structuredClone(existing));
    this.histories.set(
      commit.pk,
      [...history, structuredClone(commit)].toSorted((a, b) => (a.sk < b.sk ? -1 : 1)),
    );
  }

  protected async *commits(id: string, { from, to, order }: CommitRange): AsyncIterable<Commit> {
    const history = this.histories.get(aggregateKey(this.aggregate, id)) ?? [];
    const found = history.filter((commit) => firstVersionOf(commit) >= from && firstVersionOf(commit) <= to);
    yield* structuredClone(order === 'oldest first' ? found : found.toReversed());
  }
}
