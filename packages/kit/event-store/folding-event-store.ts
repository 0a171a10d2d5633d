import type { TransactWriteItem } from '../aws/dynamodb.js';
import { MAX_ITEM_BYTES } from '../aws/dynamodb-limits.js';
import type { Evolution } from '../decider/decider.js';
import { buildCommitItem, type Commit, commitKey, type FeedShards, firstVersionOf } from '../messages/commit.js';
import { type AnyEvent, readEvent } from '../messages/contract.js';
import { aggregateKey } from '../messages/keys.js';
import { checkSeals } from '../messages/personal-fields.js';
import type { Trace } from '../messages/trace.js';
import {
  type Aggregate,
  AggregateDeleted,
  type CommitExtras,
  type EventStore,
  type HistoryEntry,
  type HistoryPosition,
  type Loaded,
  type TransactionalEventStore,
} from './event-store.js';

/** Highest version: a sort key has room for ten digits. */
const MAX_VERSION = 9_999_999_999;
/**
 * Number of versions between two snapshots. The first commit that crosses a multiple of it carries a snapshot, and a
 * load reads at most this many commits.
 */
const SNAPSHOT_EVERY = 20;
/** Largest state, in bytes, that is kept as a snapshot. The commit around it needs the rest of the item. */
const MAX_SNAPSHOT_BYTES = MAX_ITEM_BYTES / 4;

export interface EventStoreSettings extends Omit<Aggregate<unknown>, 'decider'> {
  readonly table: string;
  readonly feedShards: FeedShards;
  /** Number of restores of the service so far. Each commit stores it. @default 0 */
  readonly epoch?: number;
}

/** Range of commits to read, by their first version. Both ends are included. */
export interface CommitRange {
  readonly from: number;
  readonly to: number;
  readonly order: 'oldest first' | 'newest first';
  /** Number of commits that are usually enough. More are read if the reader continues. */
  readonly pageSize: number;
}

/**
 * Event store without its storage: it folds states from commits, and makes the writes that append them. A subclass
 * (adapter) only reads and appends commits.
 */
export abstract class FoldingEventStore<State, Event extends AnyEvent, Rules extends Evolution<State, Event>>
  implements TransactionalEventStore<State, Event, Rules>
{
  readonly table: string;
  readonly aggregate: string;

  constructor(
    private readonly settings: EventStoreSettings,
    readonly decider: Rules & Evolution<State, Event>,
  ) {
    this.table = settings.table;
    this.aggregate = settings.aggregate;
  }

  abstract append(commit: Commit): Promise<void>;

  /** Reads commits, strongly consistent. */
  protected abstract readCommits(id: string, range: CommitRange): AsyncIterable<Commit>;

  assumeNew(id: string): Loaded<State> {
    return { id, state: this.decider.initialState, version: 0, commits: [], snapshotOutdated: false };
  }

  load(id: string): Promise<Loaded<State>> {
    return this.fold(id, MAX_VERSION, () => true);
  }

  async loadVersion(id: string, version: number): Promise<Loaded<State> | undefined> {
    // Versions count from 1, and DynamoDB refuses a range that ends before it begins.
    if (version < 1 || version > MAX_VERSION) return undefined;
    const loaded = await this.fold(id, version, () => true);
    return loaded.version === version ? loaded : undefined;
  }

  async loadAt(id: string, at: string): Promise<Loaded<State> | undefined> {
    const upTo = await this.findVersionNear(id, at);
    // Before the first commit. As above, the range would end before it begins.
    if (upTo < 1) return undefined;
    const loaded = await this.fold(id, upTo, (commit) => commit.at <= at);
    return loaded.version > 0 ? loaded : undefined;
  }

  /**
   * Returns a version that is not below the newest one at a time, and above it by few commits. It looks at one commit of the
   * middle after another, since the time of an aggregate's commits never decreases.
   */
  private async findVersionNear(id: string, at: string): Promise<number> {
    const newest = await this.readNewestUpTo(id, MAX_VERSION);
    if (!newest || newest.at <= at) return MAX_VERSION;
    let reached = 0;
    let later = firstVersionOf(newest);
    while (later - reached > SNAPSHOT_EVERY) {
      const middle = Math.floor((reached + later) / 2);
      const commit = await this.readNewestUpTo(id, middle);
      if (!commit || commit.at <= at) reached = middle;
      else later = firstVersionOf(commit);
    }
    return later - 1;
  }

  private async readNewestUpTo(id: string, version: number): Promise<Commit | undefined> {
    for await (const commit of this.readCommits(id, { from: 1, to: version, order: 'newest first', pageSize: 1 }))
      return commit;
    return undefined;
  }

  async history(id: string, from: HistoryPosition, limit: number): ReturnType<EventStore<State, Event>['history']> {
    const items: HistoryEntry[] = [];
    // One more than asked for: it tells whether there is a next page, and where that page begins.
    const range = { from: from.commit, to: MAX_VERSION, order: 'oldest first', pageSize: limit + 1 } as const;
    for await (const commit of this.readCommits(id, range)) {
      for (const [at, event] of commit.events.entries()) {
        const version = firstVersionOf(commit) + at;
        if (version <= from.shown) continue;
        if (items.length === limit) return { items, next: { commit: firstVersionOf(commit), shown: version - 1 } };
        const { data } = this.decodeEvent(event);
        const { actor, onBehalfOf, correlationId, trigger } = commit;
        items.push({
          id: event.id,
          version,
          type: event.type,
          at: commit.at,
          actor,
          ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
          correlationId,
          causationId: trigger,
          data,
        });
      }
    }
    return { items };
  }

  buildCommit(loaded: Loaded<State>, events: readonly Event[], trace: Trace, more: CommitExtras = {}): Commit {
    if (this.decider.isDeleted?.(loaded.state)) throw new AggregateDeleted();
    const newest = loaded.commits.at(-1);
    const { aggregate, contract, feedShards, epoch = 0 } = this.settings;
    const commit = buildCommitItem({
      aggregate,
      contract,
      feedShards,
      epoch,
      id: loaded.id,
      after: loaded.version,
      events,
      trace,
      ...(newest === undefined ? {} : { previous: newest }),
      ...more,
    });
    const snapshot = this.buildSnapshot(loaded, commit);
    return snapshot ? { ...commit, snapshot } : commit;
  }

  appendWrite(commit: Commit): TransactWriteItem {
    // Optimistic concurrency: the first writer of this version wins. The other writer loads and decides again.
    const versionIsFree = 'attribute_not_exists(pk)';
    return { Put: { TableName: this.table, Item: commit, ConditionExpression: versionIsFree } };
  }

  unchangedCheck({ id, version }: Loaded<State>): TransactWriteItem {
    const noNextCommit = 'attribute_not_exists(pk)';
    const Key = { pk: aggregateKey(this.aggregate, id), sk: commitKey(version + 1) };
    return { ConditionCheck: { TableName: this.table, Key, ConditionExpression: noNextCommit } };
  }

  toWrite(loaded: Loaded<State>, events: readonly Event[], trace: Trace): TransactWriteItem {
    if (events.length === 0) return this.unchangedCheck(loaded);
    return this.appendWrite(this.buildCommit(loaded, events, trace));
  }

  applyCommit(loaded: Loaded<State>, commit: Commit): Loaded<State> {
    return {
      id: loaded.id,
      state: this.foldCommit(loaded, commit),
      version: commit.lastVersion,
      commits: [...loaded.commits, commit],
      // The commit carries a new snapshot, unless the state is too large for one.
      snapshotOutdated: false,
    };
  }

  /**
   * Folds the events as they were written. A field that an older version of their shape leaves out is not in the state.
   */
  private foldCommit({ state }: Loaded<State>, { events }: Commit): State {
    return events.reduce((folded, event) => this.decider.evolve(folded, this.decodeEvent(event)), state);
  }

  private buildSnapshot(loaded: Loaded<State>, commit: Commit): Commit['snapshot'] {
    const crosses = Math.floor(commit.lastVersion / SNAPSHOT_EVERY) > Math.floor(loaded.version / SNAPSHOT_EVERY);
    if (!crosses && !loaded.snapshotOutdated) return undefined;
    const state = JSON.stringify(this.foldCommit(loaded, commit));
    if (Buffer.byteLength(state) > MAX_SNAPSHOT_BYTES) return undefined;
    return { schema: this.decider.stateSchema, state };
  }

  /** Reads backwards from version `upTo` to a snapshot or to the first commit, then folds forwards. */
  private async fold(id: string, upTo: number, isWanted: (commit: Commit) => boolean): Promise<Loaded<State>> {
    const { evolve, initialState, stateSchema } = this.decider;
    const commits: Commit[] = [];
    let state = initialState;
    let version = 0;
    let snapshotOutdated = false;
    const range = { from: 1, to: upTo, order: 'newest first', pageSize: SNAPSHOT_EVERY } as const;
    for await (const commit of this.readCommits(id, range)) {
      if (!isWanted(commit)) continue;
      commits.unshift(commit);
      // A snapshot after the requested version contains later events.
      if (!commit.snapshot || commit.lastVersion > upTo) continue;
      if (commit.snapshot.schema === stateSchema) {
        state = JSON.parse(commit.snapshot.state) as State;
        version = commit.lastVersion;
        break;
      }
      snapshotOutdated = true;
    }
    for (const commit of commits) {
      for (const [at, event] of commit.events.entries()) {
        const next = firstVersionOf(commit) + at;
        if (next <= version || next > upTo) continue;
        state = evolve(state, this.decodeEvent(event));
        version = next;
      }
    }
    return { id, state, version, commits, snapshotOutdated };
  }

  private decodeEvent({ id, type, schemaVersion, data }: Commit['events'][number]): Event {
    const { contract } = this.settings;
    const event = readEvent(contract, type, schemaVersion, JSON.parse(data)) as unknown as Event;
    checkSeals(contract, event, id);
    return event;
  }
}
