import type { TransactWriteItem } from '../aws/dynamodb.js';
import { type Versions, WriteConflict } from '../http/errors.js';
import { type Commit, firstVersionOf } from '../messages/commit.js';
import type { AnyEvent, OutgoingCommand } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';

/** How a state follows from events; pure, and total over history. */
export interface Evolution<State, Event extends AnyEvent> {
  readonly initialState: State;
  readonly evolve: (state: State, event: Event) => State;
  /** Version of the state's shape: raised when it changes, so that older snapshots are ignored. */
  readonly stateSchema: number;
  /** Whether this state is the end: nothing is appended any more, and what was stays in the history. @default none is */
  readonly isDeleted?: (state: State) => boolean;
}

/** The version that a commit was to have is another commit's: somebody else was first, or this one was lost and found. */
export class VersionTaken extends WriteConflict {
  override readonly name = 'VersionTaken';
  override readonly versions: Versions;
  constructor(readonly existing: Commit) {
    super('another commit has this version');
    this.versions = { expectedVersion: firstVersionOf(existing) - 1, foundVersion: existing.lastVersion };
  }
}

/** The aggregate came to its end, and takes no change any more: trying again won't help. */
export class AggregateDeleted extends Error {
  override readonly name = 'AggregateDeleted';
  constructor() {
    super('the aggregate was deleted');
  }
}

/** An aggregate at one version. */
export interface Loaded<State> {
  readonly id: string;
  readonly state: State;
  /** Events so far; 0 where there is no such aggregate. */
  readonly version: number;
  /** The commits that were read for it, oldest first; at least the newest, where there is one. */
  readonly commits: readonly Commit[];
  /** A snapshot of an older state schema had to be ignored: the next commit carries a new one. */
  readonly snapshotOutdated: boolean;
}

/** What some commits carry besides their events. */
export interface CommitExtras {
  /** Hash of the API request that it answers. */
  readonly requestHash?: string;
  /** Sent with the events, once for each time that they are. */
  readonly commands?: readonly OutgoingCommand[];
}

/** One event as the history shows it. */
export interface HistoryEntry {
  readonly id: string;
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  /** Who began what a service went on with. */
  readonly onBehalfOf?: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly data: unknown;
}

/** Where a page of history begins: the commit to read from, and the last version that was shown. */
export interface HistoryPosition {
  readonly commit: number;
  readonly shown: number;
}

/**
 * The promise: an append is one write, all of its events or none (G1); two writers at one version collide, and one of
 * them loses visibly. What is written goes out through the table's stream, at least once.
 */
export interface EventStore<State, Event extends AnyEvent> {
  /** The newest state, strongly consistent: one round trip however long the history is. */
  load(id: string): Promise<Loaded<State>>;
  /** The state right after `version`; nothing where the aggregate hasn't that many events. */
  loadVersion(id: string, version: number): Promise<Loaded<State> | undefined>;
  /** The state at a time (ISO 8601, UTC, milliseconds); nothing where the aggregate began later. */
  loadAt(id: string, at: string): Promise<Loaded<State> | undefined>;
  /** Events from a position on, oldest first, at most `limit`; `next` where there are more. */
  history(
    id: string,
    from: HistoryPosition,
    limit: number,
  ): Promise<{ readonly items: readonly HistoryEntry[]; readonly next?: HistoryPosition }>;
  /**
   * The commit of these events after `loaded`, as an item: `loaded.version` is the version that it expects.
   * @throws {ContractViolation} an event or a command breaks its contract; {@link AggregateDeleted}
   */
  commit(loaded: Loaded<State>, events: readonly Event[], trace: Trace, more?: CommitExtras): Commit;
  /** The state that a commit on top of `loaded` leads to. */
  after(loaded: Loaded<State>, commit: Commit): Loaded<State>;
  /**
   * Appends by a write of its own.
   * @throws {VersionTaken} another commit has this version; {@link WriteConflict} a transaction was in the way
   */
  append(commit: Commit): Promise<void>;
}

/** An event store whose appends can share one transaction with other writes: all of them happen, or none. */
export interface TransactionalEventStore<State, Event extends AnyEvent> extends EventStore<State, Event> {
  /** The append as a part of a transaction, refused where another commit has this version. */
  appendWrite(commit: Commit): TransactWriteItem;
  /** Refuses a transaction where the aggregate has gone on since it was loaded; for decisions without events. */
  unchangedCheck(loaded: Loaded<State>): TransactWriteItem;
}
