import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documents, type Item, ItemExists, putNew, type TransactWriteItem } from '../aws/dynamodb.js';
import type { Evolution } from '../decider/decider.js';
import { type Commit, commitKey, firstVersionOf } from '../messages/commit.js';
import type { AnyEvent } from '../messages/contract.js';
import { aggregateKey } from '../messages/keys.js';
import type { Trace } from '../messages/trace.js';
import { type Loaded, type TransactionalEventStore, VersionTaken } from './event-store.js';
import { type CommitRange, type EventStoreSettings, FoldingEventStore } from './folding-event-store.js';

export interface DynamoDbEventStoreSettings extends EventStoreSettings {
  readonly table: string;
}

/**
 * Event store in DynamoDB for the event streams of one aggregate type. Each append is one item (design, section 3).
 * @example
 * const trips = new DynamoDbEventStore<Trip, TripEvent>(
 *   { table: 'trips', aggregate: 'Trip', contract: tripsContract, feedShards: [] },
 *   tripDecider,
 * );
 * const loaded = await trips.load(tripId);
 * await trips.append(trips.commit(loaded, decide(loaded.state, command), trace));
 */
export class DynamoDbEventStore<
    State,
    Event extends AnyEvent,
    Rules extends Evolution<State, Event> = Evolution<State, Event>,
  >
  extends FoldingEventStore<State, Event, Rules>
  implements TransactionalEventStore<State, Event, Rules>
{
  readonly table: string;
  readonly aggregate: string;

  constructor({ table, ...settings }: DynamoDbEventStoreSettings, decider: Rules & Evolution<State, Event>) {
    super(settings, decider);
    this.table = table;
    this.aggregate = settings.aggregate;
  }

  async append(commit: Commit): Promise<void> {
    try {
      await putNew({ TableName: this.table, Item: commit });
    } catch (error) {
      if (error instanceof ItemExists) throw new VersionTaken(error.existing as unknown as Commit);
      throw error;
    }
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

  effect(loaded: Loaded<State>, events: readonly Event[], trace: Trace): TransactWriteItem {
    if (events.length === 0) return this.unchangedCheck(loaded);
    return this.appendWrite(this.commit(loaded, events, trace));
  }

  /** Reads one page with each call to DynamoDB, and the next page only if the reader continues. */
  protected async *commits(id: string, { from, to, order, pageSize }: CommitRange): AsyncIterable<Commit> {
    const ascending = order === 'oldest first';
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await documents.send(
        new QueryCommand({
          TableName: this.table,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
          ExpressionAttributeValues: {
            ':pk': aggregateKey(this.aggregate, id),
            ':from': commitKey(from),
            ':to': commitKey(to),
          },
          ScanIndexForward: ascending,
          Limit: pageSize,
          ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
        }),
      );
      yield* (page.Items ?? []) as Commit[];
      ExclusiveStartKey = page.LastEvaluatedKey;
      // When reading backwards, the first version is the end. So no second round trip is needed to learn that nothing
      // is left.
      const oldest = (page.Items as Commit[] | undefined)?.at(-1);
      if (!ascending && oldest && firstVersionOf(oldest) === 1) return;
    } while (ExclusiveStartKey);
  }
}
