import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, type Item, ItemExists, putNew, type TransactWriteItem } from '../aws/dynamodb.js';
import { newId } from '../aws/ids.js';
import { safeText } from '../aws/safe-error.js';
import { PENDING } from '../failures/delivery.js';
import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';
import { COMPRESSED, compressPayload } from '../failures/stored-payload.js';
import { type Envelope, messageGroupOf, messageIdOf, senderOf } from '../messages/envelope.js';
import type { Dispatch } from '../timers/contract.js';
import { duePartition } from '../timers/contract.js';
import { shardOf } from '../timers/timers.js';
import {
  addSeconds,
  type ClaimedMessage,
  type ConditionalUpdate,
  LeaseLost,
  leaseAttributes,
  leaseCondition,
  type ProgressSave,
  prependReason,
  sweepTime,
  toClaimedMessage,
} from './claimed-message.js';
import { GRACE_SECONDS, type InboxSettings, WAKE } from './contract.js';

export interface StoredMessagesOptions {
  /** Name of the service's idempotency table. */
  readonly table: string;
  readonly consumer: ConsumerIdentity;
  /** How messages are stored; both forms are read. @default 'plain' */
  readonly payloads?: 'plain' | 'compressed';
}

/**
 * Records of an inbox's messages, in the service's idempotency table. A record is the message's processed record from
 * the beginning: PENDING, then PROCESSED or FAILED.
 *
 *     receiver                 runner A (fence 1)            runner B (fence 2)
 *     put: PENDING
 *                              take: held for a minute
 *                              works ... is frozen
 *                                                            take: the minute is over
 *                                                            effect + PROCESSED, if fence = 2
 *                              effect + PROCESSED, if fence = 1: refused
 *
 * `heldUntil` is the time before which nobody takes the message: a runner works on it, or it pauses after a failure. The
 * one exception is the hand-out that a runner has delayed until the end of its own pause (`delayed-hand-out.ts`).
 */
export class StoredMessages {
  constructor(protected readonly options: StoredMessagesOptions) {}

  /** Returns the key of the record of a message. */
  keyOf(message: Pick<Envelope, 'id' | 'source' | 'to' | 'subject' | 'sequence' | 'epoch'>): string {
    return recordKey(this.options.consumer, messageIdOf(message));
  }

  /**
   * Stores a message, unless it is known.
   * @param payload the message as the queue delivered it
   * @returns `known` if the message has a record: it waits, was processed, or failed
   */
  async store(message: Envelope, payload: string): Promise<'stored' | 'known'> {
    try {
      await putNew({ TableName: this.options.table, Item: this.buildItem(message, payload) });
      return 'stored';
    } catch (error) {
      if (!(error instanceof ItemExists)) throw error;
      await this.onRepeat(error.existing);
      return 'known';
    }
  }

  /** Looks at the record that a repeated message has already. A mode may have to hand it out again. */
  protected async onRepeat(_existing: Item): Promise<void> {}

  protected buildItem(message: Envelope, payload: string): Item {
    const now = clock.now();
    const record = {
      pk: this.keyOf(message),
      status: PENDING,
      attempts: 0,
      fence: 0,
      storedAt: now,
      ...this.dueAttributes(this.keyOf(message), addSeconds(now, GRACE_SECONDS)),
      [WAKE]: true,
      messageId: messageIdOf(message),
      topic: topicOf(message),
      type: message.type,
      subject: message.subject,
      sequence: message.sequence,
      correlationId: message.correlationid,
      group: messageGroupOf(message.actor, message.onbehalfof),
    };
    return this.options.payloads === 'compressed'
      ? { ...record, [COMPRESSED]: compressPayload(payload, record) }
      : { ...record, payload };
  }

  /** Returns the attributes by which the sweeper finds a message. @param pk key of its record */
  protected dueAttributes(pk: string, executeAt: string) {
    return { executeAt, duePk: duePartition(this.options.consumer.name, shardOf(pk)) };
  }

  /**
   * Stores a failed message again, for its next attempts: an operator redrives it.
   * @param confirmedNotDone whether the operator confirms that the effect did not happen before
   * @returns `known` if the message has not failed, or may have been processed before
   */
  async retry(
    message: Envelope,
    payload: string,
    { confirmedNotDone }: { readonly confirmedNotDone: boolean },
  ): Promise<'stored' | 'known'> {
    // The reasons stay. So does the fencing token, if there is one: an earlier runner may still be at work.
    const { pk, fence: _, ...fields } = this.buildItem(message, payload);
    const mayBeDone = confirmedNotDone ? '' : ' AND attribute_not_exists(#unknown)';
    const updated = await this.update(String(pk), {
      set: fields,
      remove: [
        'failedConsumer',
        'failedAt',
        'heldUntil',
        'runner',
        // The failure may have been stored in another form.
        ...['payload', 'payloadGzip', COMPRESSED].filter((form) => !(form in fields)),
        ...(confirmedNotDone ? ['unknown'] : []),
      ],
      condition: `#status = :failed${mayBeDone}`,
      names: { '#status': 'status', ...(confirmedNotDone ? {} : { '#unknown': 'unknown' }) },
      values: { ':failed': 'FAILED' },
    });
    return updated ? 'stored' : 'known';
  }

  /**
   * Takes a message for this runner, with the next fencing token.
   * @param handOut with a fence, the pause is over by the queue's clock, unless another runner took the message meanwhile
   * @returns `undefined` if another runner holds the message, if it pauses after a failure, or if it is not pending
   */
  async claim(
    { record: pk, fence }: Dispatch,
    { leaseSeconds }: Pick<InboxSettings, 'leaseSeconds'>,
  ): Promise<ClaimedMessage | undefined> {
    const now = clock.now();
    const runner = newId();
    const until = addSeconds(now, leaseSeconds);
    const isFree = 'attribute_not_exists(heldUntil) OR heldUntil <= :now';
    const mayTake = fence === undefined ? isFree : `${isFree} OR fence = :putOffBy`;
    try {
      const { Attributes } = await documentClient.send(
        new UpdateCommand({
          TableName: this.options.table,
          Key: { pk },
          UpdateExpression:
            'SET heldUntil = :until, executeAt = :swept, duePk = :due, runner = :runner REMOVE wake ADD fence :one, attempts :one',
          ConditionExpression: `#status = :pending AND (${mayTake})`,
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':until': until,
            ':swept': sweepTime(until),
            ':now': now,
            ...(fence === undefined ? {} : { ':putOffBy': fence }),
            ':runner': runner,
            ':due': this.dueAttributes(pk, until).duePk,
            ':one': 1,
            ':pending': PENDING,
          },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return toClaimedMessage(Attributes ?? {});
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // After a lost answer, the SDK's retry finds the message held by this very runner.
      const found = error.Item && unmarshall(error.Item);
      return found?.runner === runner ? toClaimedMessage(found) : undefined;
    }
  }

  /**
   * Holds the message for longer.
   * @throws {LeaseLost}
   */
  async renew(claimed: ClaimedMessage, leaseSeconds: number): Promise<void> {
    const until = addSeconds(clock.now(), leaseSeconds);
    const held = await this.update(claimed.pk, { ...leaseCondition(claimed), set: leaseAttributes(until) });
    if (!held) throw new LeaseLost(safeText`another runner holds the message`);
  }

  /**
   * Returns the write that saves progress and holds the message for longer. It fails if the lease is lost, or if another
   * save came after the one that this one follows.
   */
  saveWrite(
    claimed: Pick<ClaimedMessage, 'pk' | 'fence'>,
    { progress, id, follows, isNew }: ProgressSave,
    leaseSeconds: number,
  ): TransactWriteItem {
    const until = addSeconds(clock.now(), leaseSeconds);
    const { condition, names, values } = leaseCondition(claimed);
    const isNext = follows === undefined ? 'attribute_not_exists(progressId)' : 'progressId = :follows';
    return {
      Update: {
        ...this.buildUpdate(claimed.pk, {
          set: { progress, progressId: id, ...leaseAttributes(until), ...(isNew ? { attempts: 1 } : {}) },
          condition: `${condition} AND ${isNext}`,
          names,
          values: follows === undefined ? values : { ...values, ':follows': follows },
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
  }

  /**
   * Gives the message back for another runner, which continues at once from the saved progress. It counts as no failure.
   * @throws {LeaseLost}
   */
  async release(claimed: ClaimedMessage): Promise<void> {
    const released = await this.update(claimed.pk, {
      ...leaseCondition(claimed),
      set: { [WAKE]: true, attempts: 0, executeAt: addSeconds(clock.now(), GRACE_SECONDS) },
      remove: ['heldUntil', 'runner'],
    });
    if (!released) throw new LeaseLost(safeText`another runner holds the message`);
  }

  /**
   * Returns the write that ends the message with the effect of its handler. It fails if the lease is lost.
   * @param expiresAt epoch seconds until which a duplicate is recognised
   */
  processedWrite(claimed: ClaimedMessage, expiresAt: number): TransactWriteItem {
    return {
      Update: this.buildUpdate(claimed.pk, {
        ...leaseCondition(claimed),
        set: { status: 'PROCESSED', processedAt: clock.now(), expiresAt },
        remove: ['duePk', 'heldUntil', 'runner', WAKE],
      }),
    };
  }

  /**
   * Records a failed attempt, and puts the message off. The record keeps the newest ten reasons.
   * @param pauseSeconds until the next attempt
   * @returns `lost` if this runner does not hold the message any more
   */
  async postpone(claimed: ClaimedMessage, error: unknown, pauseSeconds: number): Promise<'postponed' | 'lost'> {
    const at = clock.now();
    const done = await this.update(claimed.pk, {
      ...leaseCondition(claimed),
      set: { ...leaseAttributes(addSeconds(at, pauseSeconds)), failures: prependReason(claimed, error, at) },
      remove: ['runner'],
    });
    return done ? 'postponed' : 'lost';
  }

  /**
   * Ends the message as failed. An operator redrives or discards it.
   * @returns `lost` if this runner does not hold the message any more
   */
  async fail(claimed: ClaimedMessage, error: unknown): Promise<'recorded' | 'lost'> {
    const at = clock.now();
    const failed = await this.update(claimed.pk, {
      ...leaseCondition(claimed),
      set: {
        status: 'FAILED',
        failedConsumer: this.options.consumer.name,
        failedAt: at,
        failures: prependReason(claimed, error, at),
      },
      remove: ['duePk', 'heldUntil', 'runner', WAKE],
    });
    if (failed) return 'recorded';
    // After a lost answer, the SDK's retry finds what this very runner has recorded.
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: this.options.table, Key: { pk: claimed.pk }, ConsistentRead: true }),
    );
    return Item?.status === 'FAILED' && Item.fence === claimed.fence ? 'recorded' : 'lost';
  }

  /** @returns whether the condition held */
  protected async update(pk: string, change: ConditionalUpdate): Promise<boolean> {
    try {
      await documentClient.send(new UpdateCommand(this.buildUpdate(pk, change)));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  protected buildUpdate(pk: string, { set = {}, remove = [], condition, names, values }: ConditionalUpdate) {
    const sets = Object.entries(set);
    const removes = remove.map((_, at) => `#remove${at}`);
    return {
      TableName: this.options.table,
      Key: { pk },
      UpdateExpression: [
        `SET ${sets.map((_, at) => `#set${at} = :set${at}`).join(', ')}`,
        ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
      ].join(' '),
      ConditionExpression: condition,
      ExpressionAttributeNames: {
        ...names,
        ...Object.fromEntries(sets.map(([name], at) => [`#set${at}`, name])),
        ...Object.fromEntries(remove.map((name, at) => [`#remove${at}`, name])),
      },
      ExpressionAttributeValues: {
        ...values,
        ...Object.fromEntries(sets.map(([, value], at) => [`:set${at}`, value])),
      },
    } satisfies UpdateCommandInput;
  }
}

/** Returns the topic of a message: the service that sent it, and the type. */
export const topicOf = ({ source, type }: Pick<Envelope, 'source' | 'type'>): string =>
  `${senderOf({ source })}/${type}`;
