import { createHash } from 'node:crypto';
import type { TransactWriteItem } from '../aws/dynamodb.js';
import { TooLarge } from '../aws/dynamodb-limits.js';
import { PENDING } from '../failures/delivery.js';
import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';
import type { CommandOf, ServiceContract } from '../messages/contract.js';
import { ownCommandBody } from '../messages/own-command.js';
import type { Trace } from '../messages/trace.js';
import { DUE_SHARDS, duePartition } from './contract.js';

/** So that ten fit into one call of SQS (256 KB where the queue is old), whichever they are. */
export const MAX_PAYLOAD_BYTES = 24 * 1024;

export interface TimersOptions<C extends ServiceContract> {
  /** Name of the application. */
  readonly app: string;
  /** The service's idempotency table. */
  readonly table: string;
  /** Whose timers these are: the consumer that gets them back. */
  readonly consumer: ConsumerIdentity;
  /** Of the owner's service; a timer is one of its commands. */
  readonly contract: C;
}

/** What comes back at its moment: a command of the contract, to oneself. */
export type Timer<C extends ServiceContract> = CommandOf<C> & {
  /**
   * Names this one waiting, for ever: `<saga>/<step>/<try>`. At most 128 characters. One that was cleared must not be set
   * again: an earlier delivery of it may be on its way.
   */
  readonly id: string;
  /** `<AggregateType>/<id>` of whoever waits. */
  readonly subject: string;
  /** ISO 8601, UTC. It comes at the sweep after it: a minute later as a rule, never earlier. */
  readonly executeAt: string;
  /** What its commit has, too. */
  readonly trace: Trace;
};

/**
 * Messages to oneself with a moment (design, section 7): saga deadlines, retries, the closing of a window. Both writes go
 * into the transaction with the commit that needs them: so a timer can be neither lost nor left over.
 */
export class Timers<C extends ServiceContract> {
  constructor(private readonly options: TimersOptions<C>) {}

  /**
   * Stores what will be handed out when it is due, as the owner's queue will have it.
   * @throws {ContractViolation} where the type or the data isn't the contract's, or id, subject or moment can't travel
   * @throws {TooLarge} above 24 KiB: a timer says which moment has come, its owner knows the rest
   */
  set({ id, subject, executeAt, trace, type, data }: Timer<C>): TransactWriteItem {
    const { app, table, consumer, contract } = this.options;
    // When it happens, not when it was set: so its age is how late it comes.
    const payload = ownCommandBody(contract, { app, id, subject, time: executeAt, trace, command: { type, data } });
    const bytes = Buffer.byteLength(payload);
    if (bytes > MAX_PAYLOAD_BYTES) throw new TooLarge(`a timer of ${bytes} bytes is above ${MAX_PAYLOAD_BYTES}`);
    return {
      Put: {
        TableName: table,
        Item: {
          pk: recordKey(consumer, id),
          status: PENDING,
          attempts: 0,
          // With milliseconds, whatever was given: moments are compared as text.
          executeAt: new Date(executeAt).toISOString(),
          duePk: duePartition(consumer.name, shardOf(id)),
          messageId: id,
          type,
          subject,
          correlationId: trace.correlationId,
          payload,
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    };
  }

  /**
   * Ends what nobody waits for any more, at any moment: where it was never set, is processed or has failed, too.
   *
   *     sweeper                      owner
   *     reads it: PENDING
   *                                  commits, and clears
   *     sends it
   *     moves it on: refused
   *                                  gets it: no record, a duplicate
   *
   * Without a condition, so that the commit around it is never refused for it. A failed one is gone with its failure: what
   * nobody waits for needs no operator.
   */
  clear(id: string): TransactWriteItem {
    const { table, consumer } = this.options;
    return { Delete: { TableName: table, Key: { pk: recordKey(consumer, id) } } };
  }
}

const shardOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE(0) % DUE_SHARDS;
