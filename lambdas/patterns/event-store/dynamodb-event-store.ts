import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documents, type Item, putNew, type TransactWriteItem } from '../../platform/dynamodb.js';
import { MAX_ITEM_BYTES } from '../../platform/dynamodb-limits.js';
import { type AnyEvent, readEvent, type ServiceContract } from '../contract.js';
import type { Trace } from '../trace.js';
import { aggregateKey, type Commit, commitItem, commitKey, type FeedShards, firstVersionOf } from './commit.js';
import type { EventStore, Evolution, HistoryEntry, HistoryPosition, Loaded } from './event-store.js';

/** Ten digits: what a sort key has room for. */
const MAX_VERSION = 9_999_999_999;
/** A snapshot stands on the first commit that crosses a multiple of this; a load reads no more commits than this. */
const SNAPSHOT_EVERY = 20;
/** A state above this is not kept as a snapshot: the commit around it needs room. */
const MAX_SNAPSHOT_BYTES = MAX_ITEM_BYTES / 4;

export interface EventStoreSettings {
  readonly table: string;
  /** Type of the aggregate, in its key and in the `subject` of its events: `Order`. */
  readonly aggregate: string;
  readonly contract: ServiceContract;
  readonly feedShards: FeedShards;
}

/** Events of one aggregate type in DynamoDB, one item an append (design, section 3). */
export class DynamoDbEventStore<State, Event extends AnyEvent> implements EventStore<State, Event> {
  constructor(
    private readonly settings: EventStoreSettings,
    private readonly evolution: Evolution<State, Event>,
  ) {}

  load(id: string): Promise<Loaded<State>> {
    return this.fold(id, this.newestFirst(id, commitKey(MAX_VERSION)), () => true);
  }

  async loadVersion(id: string, version: number): Promise<Loaded<State> | undefined> {
    // Versions count from 1, and DynamoDB refuses a range that ends before it begins.
    if (version < 1 || version > MAX_VERSION) return undefined;
    const loaded = await this.fold(id, this.newestFirst(id, commitKey(version)), () => true, version);
    return loaded.version === version ? loaded : undefined;
  }

  async loadAt(id: string, at: string): Promise<Loaded<State> | undefined> {
    const loaded = await this.fold(id, this.newestFirst(id, commitKey(MAX_VERSION)), (commit) => commit.at <= at);
    return loaded.version > 0 ? loaded : undefined;
  }

  async history(id: string, from: HistoryPosition, limit: number): ReturnType<EventStore<State, Event>['history']> {
    const items: HistoryEntry[] = [];
    // One more than asked for: it tells whether there is a next page, and where that begins.
    for await (const commit of this.pages(id, commitKey(from.commit), commitKey(MAX_VERSION), true, limit + 1)) {
      for (const [at, event] of commit.events.entries()) {
        const version = firstVersionOf(commit) + at;
        if (version <= from.shown) continue;
        if (items.length === limit) return { items, next: { commit: firstVersionOf(commit), shown: version - 1 } };
        const { data } = this.read(event);
        const { actor, correlationId, trigger } = commit;
        items.push({
          id: event.id,
          version,
          type: event.type,
          at: commit.at,
          actor,
          correlationId,
          causationId: trigger,
          data,
        });
      }
    }
    return { items };
  }

  commit(loaded: Loaded<State>, events: readonly Event[], trace: Trace, request?: { readonly hash: string }): Commit {
    const { contract, aggregate, feedShards } = this.settings;
    const newest = loaded.commits.at(-1);
    const snapshot = this.snapshotAfter(loaded, events);
    return commitItem({
      contract,
      aggregate,
      feedShards,
      id: loaded.id,
      after: loaded.version,
      events,
      trace,
      ...(newest === undefined ? {} : { notBefore: newest.at }),
      ...(request === undefined ? {} : { requestHash: request.hash }),
      ...(snapshot === undefined ? {} : { snapshot }),
    });
  }

  after(loaded: Loaded<State>, commit: Commit): Loaded<State> {
    const events = commit.events.map((event) => this.read(event));
    return {
      id: loaded.id,
      state: events.reduce(this.evolution.evolve, loaded.state),
      version: commit.lastVersion,
      commits: [...loaded.commits, commit],
      snapshotOutdated: loaded.snapshotOutdated && commit.snapshot === undefined,
    };
  }

  append(commit: Commit): Promise<void> {
    return putNew({ TableName: this.settings.table, Item: commit });
  }

  appendWrite(commit: Commit): TransactWriteItem {
    // Optimistic lock: whoever commits this version first has won, the other loads and decides again.
    const versionIsFree = 'attribute_not_exists(pk)';
    return { Put: { TableName: this.settings.table, Item: commit, ConditionExpression: versionIsFree } };
  }

  unchangedCheck({ id, version }: Loaded<State>): TransactWriteItem {
    const noNextCommit = 'attribute_not_exists(pk)';
    const Key = { pk: aggregateKey(this.settings.aggregate, id), sk: commitKey(version + 1) };
    return { ConditionCheck: { TableName: this.settings.table, Key, ConditionExpression: noNextCommit } };
  }

  private snapshotAfter(loaded: Loaded<State>, events: readonly Event[]): Commit['snapshot'] {
    const last = loaded.version + events.length;
    const crosses = Math.floor(last / SNAPSHOT_EVERY) > Math.floor(loaded.version / SNAPSHOT_EVERY);
    if (!crosses && !loaded.snapshotOutdated) return undefined;
    const state = JSON.stringify(events.reduce(this.evolution.evolve, loaded.state));
    if (Buffer.byteLength(state) > MAX_SNAPSHOT_BYTES) return undefined;
    return { schema: this.evolution.stateSchema, state };
  }

  /** Reads back from the newest wanted commit to a snapshot or to the beginning, then folds forwards. */
  private async fold(
    id: string,
    newestFirst: AsyncIterable<Commit>,
    wanted: (commit: Commit) => boolean,
    upTo = Number.POSITIVE_INFINITY,
  ): Promise<Loaded<State>> {
    const commits: Commit[] = [];
    let state = this.evolution.initialState;
    let version = 0;
    let snapshotOutdated = false;
    let tail: readonly Commit[] = commits;
    for await (const commit of newestFirst) {
      if (!wanted(commit)) continue;
      commits.unshift(commit);
      if (commit.snapshot && commit.lastVersion <= upTo) {
        if (commit.snapshot.schema === this.evolution.stateSchema) {
          state = JSON.parse(commit.snapshot.state) as State;
          version = commit.lastVersion;
          tail = commits.slice(1);
          snapshotOutdated = false;
          break;
        }
        snapshotOutdated = true;
      }
    }
    for (const commit of tail) {
      for (const [at, event] of commit.events.entries()) {
        const next = firstVersionOf(commit) + at;
        if (next > upTo) break;
        state = this.evolution.evolve(state, this.read(event));
        version = next;
      }
    }
    return { id, state, version, commits, snapshotOutdated };
  }

  private newestFirst(id: string, last: string): AsyncIterable<Commit> {
    return this.pages(id, commitKey(1), last, false, SNAPSHOT_EVERY);
  }

  private async *pages(id: string, from: string, to: string, ascending: boolean, size: number): AsyncIterable<Commit> {
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await documents.send(
        new QueryCommand({
          TableName: this.settings.table,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':pk': aggregateKey(this.settings.aggregate, id), ':from': from, ':to': to },
          ScanIndexForward: ascending,
          Limit: size,
          ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
        }),
      );
      yield* (page.Items ?? []) as Commit[];
      ExclusiveStartKey = page.LastEvaluatedKey;
      // Going back, the first version is the end: no second round trip to learn that nothing is left.
      const oldest = (page.Items as Commit[] | undefined)?.at(-1);
      if (!ascending && oldest && firstVersionOf(oldest) === 1) return;
    } while (ExclusiveStartKey);
  }

  private read({ type, schemaVersion, data }: Commit['events'][number]): Event {
    return readEvent(this.settings.contract, type, schemaVersion, JSON.parse(data)) as unknown as Event;
  }
}
