import type { TransactWriteItem } from '../aws/dynamodb.js';
import { SafeError, safeText } from '../aws/safe-error.js';
import { type Versions, WriteConflict } from '../aws/write-conflict.js';
import type { Evolution } from '../decider/decider.js';
import { type Commit, firstVersionOf } from '../messages/commit.js';
import type { AnyEvent, OutgoingCommand, ServiceContract } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';

/**
 * Declaration of an aggregate type, without the store that keeps its event streams.
 * @example
 * export const trips = { aggregate: 'Trip', contract: tripsContract, decider: tripDecider };
 */
export interface Aggregate<Rules> {
  /** Type of the aggregate, in its key and in the `subject` of its events, for example `Order`. */
  readonly aggregate: string;
  readonly contract: ServiceContract;
  /** Decider of the aggregate, or its evolution if something else decides, as for a saga. */
  readonly decider: Rules;
}

/**
 * Error for a commit whose version is already taken. Either another writer was first, or this same commit succeeded
 * before and its answer was lost.
 */
export class VersionTaken extends WriteConflict {
  override readonly name = 'VersionTaken';
  override readonly versions: Versions;
  constructor(readonly existing: Commit) {
    super('another commit has this version');
    this.versions = { expectedVersion: firstVersionOf(existing) - 1, foundVersion: existing.lastVersion };
  }
}

/** Error for a change of a deleted aggregate: a retry does not help. */
export class AggregateDeleted extends SafeError {
  override readonly name = 'AggregateDeleted';
  constructor() {
    super(safeText`the aggregate was deleted`);
  }
}

/** An aggregate at one version. */
export interface Loaded<State> {
  readonly id: string;
  readonly state: State;
  /** Number of events so far; 0 if the aggregate does not exist. */
  readonly version: number;
  /**
   * Commits that were read to load the aggregate, oldest first. They include at least the newest commit, if there is
   * one.
   */
  readonly commits: readonly Commit[];
  /** Whether a snapshot of an older state schema was ignored. If so, the next commit carries a new snapshot. */
  readonly snapshotOutdated: boolean;
}

/** Optional parts of a commit besides its events. */
export interface CommitExtras {
  /** Hash of the API request that the commit answers. */
  readonly requestHash?: string;
  /** Commands that are sent with the events, each time that the events are sent. */
  readonly commands?: readonly OutgoingCommand[];
}

/** One event as the history shows it. */
export interface HistoryEntry {
  readonly id: string;
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  /** Caller who began what a service continues, if a service acted. */
  readonly onBehalfOf?: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly data: unknown;
}

/** Start of a page of history: the commit to read from, and the last version that was shown. */
export interface HistoryPosition {
  readonly commit: number;
  readonly shown: number;
}

/**
 * Store of event streams, one stream for each aggregate.
 *
 * An append is one write, of all its events or of none (G1). Two writers at one version collide, and one
 * of them sees that it lost (optimistic concurrency). The table's stream publishes each commit, at least once
 * (transactional outbox).
 */
export interface EventStore<State, Event extends AnyEvent> {
  /** Loads the newest state, strongly consistent. This takes one round trip, however long the history is. */
  load(id: string): Promise<Loaded<State>>;
  /** Loads the state right after `version`. Returns `undefined` if the aggregate has fewer events. */
  loadVersion(id: string, version: number): Promise<Loaded<State> | undefined>;
  /** Loads the state at a time (ISO 8601, UTC, with milliseconds). Returns `undefined` if the aggregate began later. */
  loadAt(id: string, at: string): Promise<Loaded<State> | undefined>;
  /** Returns at most `limit` events from a position on, oldest first. `next` is present if there are more. */
  history(
    id: string,
    from: HistoryPosition,
    limit: number,
  ): Promise<{ readonly items: readonly HistoryEntry[]; readonly next?: HistoryPosition }>;
  /**
   * Creates the commit of these events after `loaded`, as an item. It expects `loaded.version` as the aggregate's
   * version.
   * @throws {ContractViolation} if an event or a command breaks its contract
   * @throws {AggregateDeleted} if the aggregate was deleted
   */
  buildCommit(loaded: Loaded<State>, events: readonly Event[], trace: Trace, more?: CommitExtras): Commit;
  /** Returns the state that follows from a commit on top of `loaded`. */
  applyCommit(loaded: Loaded<State>, commit: Commit): Loaded<State>;
  /**
   * Appends a commit by a write of its own.
   * @throws {VersionTaken} if another commit has this version
   * @throws {WriteConflict} if a transaction was in the way
   */
  append(commit: Commit): Promise<void>;
}

/**
 * An event store whose appends can share a transaction (unit of work) with other writes. Then all writes happen, or
 * none.
 */
export interface TransactionalEventStore<
  State,
  Event extends AnyEvent,
  Rules extends Evolution<State, Event> = Evolution<State, Event>,
> extends EventStore<State, Event> {
  readonly decider: Rules;
  /** Name of the table of the commits. Other items that change in the same transactions may lie in it too. */
  readonly table: string;
  readonly aggregate: string;
  /**
   * Returns an aggregate before its first event, without a read. An append on top of it is refused if the aggregate
   * exists, like any append that was decided on an old version.
   */
  assumeNew(id: string): Loaded<State>;
  /** Returns the append as a part of a transaction. The write is refused if another commit has this version. */
  appendWrite(commit: Commit): TransactWriteItem;
  /**
   * Returns a check for decisions without events. It refuses a transaction if the aggregate has changed since it was
   * loaded.
   */
  unchangedCheck(loaded: Loaded<State>): TransactWriteItem;
  /**
   * Returns the write of a decision: the append of its events, or, for a decision without events, the check that the
   * aggregate is unchanged. Without that check an outdated decision would be recorded as the answer to a message.
   * @throws what {@link EventStore.buildCommit} throws
   */
  toWrite(loaded: Loaded<State>, events: readonly Event[], trace: Trace): TransactWriteItem;
}

/**
 * Event store of a declared aggregate type, whichever adapter it is bound to.
 * @example
 * export type TripStore = StoreOf<typeof trips>;
 */
export type StoreOf<Declared extends { readonly decider: unknown }> =
  Declared['decider'] extends Evolution<infer State, infer Event extends AnyEvent>
    ? TransactionalEventStore<State, Event, Declared['decider']>
    : never;
