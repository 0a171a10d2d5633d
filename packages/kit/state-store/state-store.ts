import { clock } from '../aws/clock.js';
import { computeExpiry, type DedupeWindow } from '../aws/dedupe-window.js';
import type { Item, TransactWriteItem } from '../aws/items.js';
import type { Table } from '../aws/table.js';
import type { CommitExtras } from '../event-store/event-store.js';
import { buildCommitItem, type Commit, type FeedShards } from '../messages/commit.js';
import { type AnyEvent, readEvent, type ServiceContract } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import { stateKey } from './state-key.js';

/** Fields that each stored state has besides its own. */
export interface Stored {
  /** Version of the aggregate's newest event, from 1. */
  readonly version: number;
  /** Time of the newest commit (ISO 8601, UTC). */
  readonly at: string;
  /** Epoch of the newest commit; absent for 0. {@link StateStore.stateWrite} sets it; an update of one's own sets the commit's. */
  readonly epoch?: number;
}

/**
 * Declaration of a state-stored aggregate type, without the table that keeps its items.
 * @example
 * export const products = { aggregate: 'Product', contract: catalogContract };
 */
export interface StateAggregate {
  /** Type of the aggregates, in their keys and in the `subject` of their events, for example `Product`. */
  readonly aggregate: string;
  readonly contract: ServiceContract;
}

export interface StateStoreSettings {
  /** Table of the aggregates' service. */
  readonly table: Table;
  readonly feedShards: FeedShards;
  /** Number of restores of the service so far. Each commit stores it. @default 0 */
  readonly epoch?: number;
  /** Time for which commits are kept, in seconds: the deduplication window. */
  readonly commitSeconds: DedupeWindow;
}

/**
 * Store of aggregates that keep their current state only, one item each (design, section 3: state-stored), in their
 * service's own table.
 *
 * Their commits are transactional outbox entries and no history. They expire after the deduplication window. They must
 * not expire earlier, because then a consumer could not tell a redelivery from a new message.
 * @example
 * const before = await productStore.read(sku);
 * const commit = productStore.buildCommit(sku, before, events, trace);
 * const after = { name, price, version: commit.lastVersion, at: commit.at };
 * await productStore.table.transact([productStore.appendWrite(commit), productStore.stateWrite(sku, before, after)]);
 */
export class StateStore<State extends Stored, Event extends AnyEvent> {
  readonly aggregate: string;
  readonly table: Table;
  private readonly contract: ServiceContract;

  constructor(
    { aggregate, contract }: StateAggregate,
    private readonly settings: StateStoreSettings,
  ) {
    this.aggregate = aggregate;
    this.contract = contract;
    this.table = settings.table;
  }

  /** Reads the current state, strongly consistent. Returns `undefined` if the aggregate was never written. */
  async read(id: string): Promise<State | undefined> {
    const item = await this.table.read(stateKey(this.aggregate, id));
    if (!item) return undefined;
    const { pk: _, sk: __, ...state } = item;
    return state as unknown as State;
  }

  /**
   * Creates the outbox entry of a change. Put it with {@link appendWrite}, in one transaction with the state.
   * @param more commands that are sent with the events, each time that the events are sent
   * @throws {ContractViolation} if an event or a command breaks its contract
   */
  buildCommit(
    id: string,
    before: Stored | undefined,
    events: readonly Event[],
    trace: Trace,
    more: Pick<CommitExtras, 'commands'> = {},
  ): Commit & Item {
    return buildCommitItem({
      contract: this.contract,
      aggregate: this.aggregate,
      id,
      after: before?.version ?? 0,
      ...(before ? { previous: before } : {}),
      epoch: this.settings.epoch ?? 0,
      events,
      trace,
      ...more,
      expiresAt: computeExpiry(this.settings.commitSeconds, clock.epochSeconds()),
      feedShards: this.settings.feedShards,
    });
  }

  /**
   * Decides the two writes of a change: its commit and the whole new state. Put them in one transaction.
   * @param evolve folds the events as they are stored, with sealed personal fields
   * @throws {ContractViolation} if an event breaks its contract
   */
  buildChange(
    id: string,
    before: State | undefined,
    events: readonly Event[],
    evolve: (before: State | undefined, events: readonly Event[]) => Omit<State, keyof Stored>,
    trace: Trace,
  ): { readonly writes: readonly TransactWriteItem[]; readonly after: State } {
    const commit = this.buildCommit(id, before, events, trace);
    const stored = commit.events.map(
      ({ type, schemaVersion, data }) => readEvent(this.contract, type, schemaVersion, JSON.parse(data)) as Event,
    );
    const { lastVersion: version, at, epoch } = commit;
    const after = { ...evolve(before, stored), version, at, ...(epoch === undefined ? {} : { epoch }) } as State;
    return { writes: [this.appendWrite(commit), this.stateWrite(id, before, after)], after };
  }

  /** Returns the check that the state is still the one that was read. */
  unchangedCheck(id: string, before: Stored | undefined): TransactWriteItem {
    return {
      ConditionCheck: { TableName: this.table.name, Key: stateKey(this.aggregate, id), ...asReadCondition(before) },
    };
  }

  appendWrite(commit: Commit): TransactWriteItem {
    const versionIsFree = 'attribute_not_exists(pk)';
    return { Put: { TableName: this.table.name, Item: commit, ConditionExpression: versionIsFree } };
  }

  /**
   * Returns the write that replaces the whole state. It is refused if another writer has changed the state since
   * `before` was read (optimistic concurrency).
   */
  stateWrite(id: string, before: Stored | undefined, after: State): TransactWriteItem {
    const { epoch: _, ...state } = after;
    const epoch = this.computeEpoch(before, after);
    const Item = { ...state, ...(epoch === 0 ? {} : { epoch }), ...stateKey(this.aggregate, id) };
    return { Put: { TableName: this.table.name, Item, ...asReadCondition(before) } };
  }

  /** A state that is written without a commit still has the epoch of the newest one. */
  private computeEpoch(before: Stored | undefined, after: Stored): number {
    const known = before?.epoch ?? 0;
    return before?.version === after.version ? known : Math.max(this.settings.epoch ?? 0, known);
  }
}

/**
 * Condition that the state is still the one that was read. Commits expire, so a free key for the next version does not
 * prove that this reader is current. The version in the state does.
 */
const asReadCondition = (before: Stored | undefined) =>
  before
    ? { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': before.version } }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
