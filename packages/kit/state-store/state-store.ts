import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documents, type Item, type TransactWriteItem } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { feedShards, required, requiredInteger } from '../aws/read-environment.js';
import { type Commit, commitItem } from '../messages/commit.js';
import type { AnyEvent, ServiceContract } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import { stateKey } from './state-key.js';

/** What each stored state has beside its own fields. */
export interface Stored {
  /** Of its newest event, from 1. */
  readonly version: number;
  /** When it was written last, by its newest commit (ISO 8601, UTC). */
  readonly at: string;
}

/**
 * Aggregates that are kept as they are now, one item each (design, section 3: state-stored), in their service's own
 * table. Their commits are outbox entries and no history: they go when the dedupe window is over, and not before, or a
 * consumer's repeat could not be told from something new.
 *
 * @throws {SettingMissing} at start, where the construct didn't set what it needs
 */
export class StateStore<State extends Stored, Event extends AnyEvent> {
  readonly table = required(Env.TABLE);
  private readonly feedShards = feedShards();
  private readonly commitSeconds = requiredInteger(Env.DEDUPE_WINDOW_SECONDS);

  /** @param aggregate type of the aggregates, in their keys and in the `subject` of their events: `Product` */
  constructor(
    readonly aggregate: string,
    private readonly contract: ServiceContract,
  ) {}

  /** The aggregate as it is now, strongly consistent; nothing where it was never written. */
  async read(id: string): Promise<State | undefined> {
    const Key = stateKey(this.aggregate, id);
    const { Item } = await documents.send(new GetCommand({ TableName: this.table, Key, ConsistentRead: true }));
    return Item as State | undefined;
  }

  /**
   * The outbox entry of a change, to be put with {@link appendWrite} in one transaction with the state.
   * @throws {ContractViolation} an event breaks its contract
   */
  commit(id: string, before: Stored | undefined, events: readonly Event[], trace: Trace): Commit & Item {
    return commitItem({
      contract: this.contract,
      aggregate: this.aggregate,
      id,
      after: before?.version ?? 0,
      ...(before ? { notBefore: before.at } : {}),
      events,
      trace,
      expiresAt: clock.epochSeconds() + this.commitSeconds,
      feedShards: this.feedShards,
    });
  }

  appendWrite(commit: Commit): TransactWriteItem {
    const versionIsFree = 'attribute_not_exists(pk)';
    return { Put: { TableName: this.table, Item: commit, ConditionExpression: versionIsFree } };
  }

  /** The whole state anew, refused where somebody else has written since `before` was read. */
  stateWrite(id: string, before: Stored | undefined, after: State): TransactWriteItem {
    // Commits expire: that the next version's place is free says nothing of an old reader, the state's own version does.
    const isAsRead = before ? 'version = :version' : 'attribute_not_exists(pk)';
    return {
      Put: {
        TableName: this.table,
        Item: { ...after, ...stateKey(this.aggregate, id) },
        ConditionExpression: isAsRead,
        ...(before ? { ExpressionAttributeValues: { ':version': before.version } } : {}),
      },
    };
  }
}
