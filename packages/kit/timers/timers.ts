import { createHash } from 'node:crypto';
import type { TransactWriteItem } from '../aws/dynamodb.js';
import { TooLarge } from '../aws/dynamodb-limits.js';
import { safeText } from '../aws/safe-error.js';
import { PENDING } from '../failures/delivery.js';
import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';
import type { CommandOf, ServiceContract } from '../messages/contract.js';
import { buildOwnCommandBody } from '../messages/own-command.js';
import type { Trace } from '../messages/trace.js';
import { DUE_SHARDS, duePartition } from './contract.js';

/** Largest payload of a timer, in bytes. Ten such payloads fit into one SQS call (256 KB for old queues). */
export const MAX_PAYLOAD_BYTES = 24 * 1024;

export interface TimersOptions<C extends ServiceContract> {
  /** Name of the application. */
  readonly app: string;
  /** Name of the service's idempotency table. */
  readonly table: string;
  /** Consumer that owns the timers and receives them. */
  readonly consumer: ConsumerIdentity;
  /** Contract of the owner's service. A timer is one of its commands. */
  readonly contract: C;
}

/** Command of the contract that a service sends to itself at a later time. */
export type Timer<C extends ServiceContract> = CommandOf<C> & {
  /**
   * Id of this timer, for ever, for example `<saga>/<step>/<try>`. At most 128 characters. Do not set an id again after
   * it was cleared: an earlier delivery of it may still be under way.
   */
  readonly id: string;
  /** Aggregate that waits: `<AggregateType>/<id>`. */
  readonly subject: string;
  /** Due time (ISO 8601, UTC). The timer comes with the next sweep: usually within a minute, never earlier. */
  readonly executeAt: string;
  /** Trace of the commit that sets the timer. */
  readonly trace: Trace;
};

/**
 * Scheduled messages of a service to itself (design, section 7): timeouts of sagas, retries, the end of a time window.
 *
 * Put both writes into the transaction of the commit that needs them. Then a timer is never lost and never left over. A
 * timer is delivered at least once, and the consumer deduplicates it.
 * @example
 * const timers = new Timers({
 *   app: requireEnv(Env.APP),
 *   table: requireEnv(Env.RECORDS),
 *   consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
 *   contract: tripsContract,
 * });
 * const expiry = timers.set({
 *   id: `${tripId}/expiry`,
 *   subject: `Trip/${tripId}`,
 *   executeAt: '2026-01-31T12:00:00.000Z',
 *   trace,
 *   type: 'ExpireTrip',
 *   data: { tripId },
 * });
 * await transact([tripStore.appendWrite(commit), expiry]);
 */
export class Timers<C extends ServiceContract> {
  constructor(private readonly options: TimersOptions<C>) {}

  /**
   * Returns the write that stores a timer as the message that the owner's queue receives when it is due.
   * @throws {ContractViolation} if the type or the data breaks the contract, or if id, subject or time does not fit
   *   into a message
   * @throws {TooLarge} above 24 KiB. A timer only says which time has come; its owner knows the rest.
   */
  set({ id, subject, executeAt, trace, type, data }: Timer<C>): TransactWriteItem {
    const { app, table, consumer, contract } = this.options;
    // The message's time is the due time, not the time of this call. So its age is its lateness.
    const payload = buildOwnCommandBody(contract, {
      app,
      id,
      subject,
      time: executeAt,
      trace,
      command: { type, data },
    });
    const bytes = Buffer.byteLength(payload);
    if (bytes > MAX_PAYLOAD_BYTES)
      throw new TooLarge(safeText`a timer of ${bytes} bytes is above ${MAX_PAYLOAD_BYTES}`);
    return {
      Put: {
        TableName: table,
        Item: {
          pk: recordKey(consumer, id),
          status: PENDING,
          attempts: 0,
          // Always with milliseconds, whatever the caller passes: times are compared as text.
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
   * Returns the write that ends a timer that is no longer needed. It may be called at any time: also for a timer that
   * was never set, was processed or has failed.
   *
   *     sweeper                      owner
   *     reads it: PENDING
   *                                  commits, and clears
   *     sends it
   *     reschedules it: refused
   *                                  receives it: no record, a duplicate
   *
   * The write has no condition, so it never makes the commit around it fail. If the timer has failed, its failure
   * record goes too, because no operator needs a timer that nobody waits for.
   */
  clear(id: string): TransactWriteItem {
    const { table, consumer } = this.options;
    return { Delete: { TableName: table, Key: { pk: recordKey(consumer, id) } } };
  }
}

/** Returns the shard of the index `due` that has a message. */
export const shardOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE(0) % DUE_SHARDS;
