import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documents, type Item, type TransactWriteItem } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { feedShards, required, requiredInteger } from '../aws/read-environment.js';
import { type Commit, commitItem } from '../messages/commit.js';
import type { AnyEvent, ServiceContract } from '../messages/contract.js';
import type { Trace } from '../messages/trace.js';
import { stateKey } from './state-key.js';

/** Fields that each stored state has besides its own. */
export interface Stored {
  /** Version of the aggregate's newest event, from 1. */
  readonly version: number;
  /** Time of the newest commit (ISO 8601, UTC). */
  readonly at: string;
}

/**
 * Store of aggregates that keep their current state only, one item each (design, section 3: state-stored), in their
 * service's own table.
 *
 * Their commits are transactional outbox entries and no history. They expire after the deduplication window. They must
 * not expire earlier, because then a consumer could not tell a redelivery from a new message.
 * @example
 * const products = new StateStore<StoredProduct, ProductEvent>('Product', catalogContract);
 * const before = await products.read(sku);
 * const commit = products.commit(sku, before, events, trace);
 * const after = { name, price, version: commit.lastVersion, at: commit.at };
 * await transact([products.appendWrite(commit), products.stateWrite(sku, before, after)]);
 * @throws {SettingMissing} at start, if the construct did not set a setting that it needs
 */
export class StateStore<State extends Stored, Event extends AnyEvent> {
  readonly table = required(Env.TABLE);
  private readonly feedShards = feedShards();
  private readonly commitSeconds = requiredInteger(Env.DEDUPE_WINDOW_SECONDS);

  /**
   * @param aggregate type of the aggregates, in their keys and in the `subject` of their events, for example `Product`
   */
  constructor(
    readonly aggregate: string,
    private readonly contract: ServiceContract,
  ) {}

  /** Reads the current state, strongly consistent. Returns `undefined` if the aggregate was never written. */
  async read(id: string): Promise<State | undefined> {
    const Key = stateKey(this.aggregate, id);
    const { Item } = await documents.send(new GetCommand({ TableName: this.table, Key, ConsistentRead: true }));
    return Item as State | undefined;
  }

  /**
   * Creates the outbox entry of a change. Put it with {@link appendWrite}, in one transaction with the state.
   * @throws {ContractViolation} if an event breaks its contract
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

  /**
   * Returns the write that replaces the whole state. It is refused if another writer has changed the state since
   * `before` was read (optimistic concurrency).
   */
  stateWrite(id: string, before: Stored | undefined, after: State): TransactWriteItem {
    // Commits expire, so a free key for the next version does not prove that this reader is current. The version in the
    // state does.
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
