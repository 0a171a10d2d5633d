import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient, type Item, ItemExists, putNew } from '../aws/dynamodb.js';
import type { Evolution } from '../decider/decider.js';
import { type Commit, commitKey, firstVersionOf } from '../messages/commit.js';
import type { AnyEvent } from '../messages/contract.js';
import { aggregateKey } from '../messages/keys.js';
import { VersionTaken } from './event-store.js';
import { type CommitRange, FoldingEventStore } from './folding-event-store.js';

/**
 * Event store in DynamoDB for the event streams of one aggregate type. Each append is one item (design, section 3).
 * @example
 * const tripStore = new DynamoDbEventStore<Trip, TripEvent>(
 *   { table: 'trips', aggregate: 'Trip', contract: tripsContract, feedShards: [] },
 *   tripDecider,
 * );
 * const loaded = await tripStore.load(tripId);
 * const events = tripDecider.decide(loaded.state, command, { now: clock.now() });
 * await tripStore.append(tripStore.buildCommit(loaded, events, trace));
 */
export class DynamoDbEventStore<
  State,
  Event extends AnyEvent,
  Rules extends Evolution<State, Event> = Evolution<State, Event>,
> extends FoldingEventStore<State, Event, Rules> {
  async append(commit: Commit): Promise<void> {
    try {
      await putNew({ TableName: this.table, Item: commit });
    } catch (error) {
      if (error instanceof ItemExists) throw new VersionTaken(error.existing as unknown as Commit);
      throw error;
    }
  }

  /** Reads one page with each call to DynamoDB, and the next page only if the reader continues. */
  protected async *readCommits(id: string, { from, to, order, pageSize }: CommitRange): AsyncIterable<Commit> {
    const ascending = order === 'oldest first';
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await documentClient.send(
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
