import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clock, secondsBetween } from '../aws/clock.js';
import { documents, type Item } from '../aws/dynamodb.js';
import { TooLarge } from '../aws/dynamodb-limits.js';
import { Metric } from '../aws/metric-names.js';
import { count, describeError, logger } from '../aws/telemetry.js';
import { PENDING, STORED } from '../failures/delivery.js';
import { Unsendable } from '../failures/failure-kinds.js';
import { FailureRecords } from '../failures/failure-records.js';
import { messageGroupOf, readEnvelope } from '../messages/envelope.js';
import { MAX_PAYLOAD_BYTES } from './timers.js';

/** SQS's limit for one call. */
const MAX_ENTRIES = 10;

export interface HandOutOptions {
  /** The service's idempotency table. */
  readonly table: string;
  /** Name of the consumer that the timers belong to. */
  readonly owner: string;
  /** Address of its queue. */
  readonly queue: string;
  /** How long a timer is left to its owner before it is handed out again. */
  readonly intervalSeconds: number;
}

/** A timer whose moment has come. */
interface Due {
  readonly pk: string;
  readonly executeAt: string;
  readonly payload: string;
  /** Message group in the owner's queue. */
  readonly group: string;
  /** Since the moment that it was set for, in seconds. */
  readonly late: number;
}

/**
 * Hands timers to their owner, at least once: sends first, moves on then. A crash in between sends again.
 *
 * Nothing here ends a timer but its owner's effect; only what can never be sent ends here, as a failure.
 */
export class HandOut {
  private readonly sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  private readonly failures: FailureRecords;

  constructor(private readonly options: HandOutOptions) {
    this.failures = new FailureRecords(options.table, { name: options.owner, generation: 0 });
  }

  /**
   * @param keys of at most 20 records that may be due: their index is behind, so each one itself is read.
   * @returns how late the latest of those was that were sent, in seconds
   * @throws what the SDK throws, after everything else was tried: what isn't moved on is due at the next sweep
   */
  async page(keys: readonly string[]): Promise<number> {
    const now = clock.now();
    const due: Due[] = [];
    const poison: { readonly pk: string; readonly error: unknown }[] = [];
    for (const item of await this.read(keys)) {
      const { pk, status, executeAt } = item as { pk: string; status?: unknown; executeAt?: unknown };
      if (status !== PENDING || typeof executeAt !== 'string' || executeAt > now) continue;
      try {
        due.push({ pk, executeAt, ...readable(item, now) });
      } catch (error) {
        poison.push({ pk, error });
      }
    }
    const batches = Array.from({ length: Math.ceil(due.length / MAX_ENTRIES) }, (_, at) =>
      due.slice(at * MAX_ENTRIES, (at + 1) * MAX_ENTRIES),
    );
    await allOf([
      ...batches.map((batch) => this.batch(batch)),
      ...poison.map(({ pk, error }) => this.giveUp(pk, error)),
    ]);
    return Math.max(0, ...due.map(({ late }) => late));
  }

  private async read(keys: readonly string[]): Promise<readonly Item[]> {
    const { table } = this.options;
    // While an index entry moves it may be seen at both places, and a key named twice is refused.
    const Keys = [...new Set(keys)].map((pk) => ({ pk }));
    const { Responses = {} } = await documents.send(
      // What is left unprocessed is due at the next sweep as well.
      new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
    );
    return Responses[table] ?? [];
  }

  private async batch(batch: readonly Due[]): Promise<void> {
    const { Successful = [], Failed = [] } = await this.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: this.options.queue,
        Entries: batch.map(({ pk, payload, group }, at) => ({
          Id: String(at),
          MessageBody: payload,
          // A message without a group is a tenant by itself: a noisy customer's timers would all count as quiet.
          MessageGroupId: group,
          MessageAttributes: { [STORED]: { DataType: 'String', StringValue: pk } },
        })),
      }),
    );
    await allOf([
      ...Successful.map(({ Id }) => this.moveOn(batch[Number(Id)])),
      ...Failed.map(async ({ Id, SenderFault, Code = 'unknown' }) => {
        const pk = batch[Number(Id)]?.pk;
        logger.warn('an entry was refused', { record: pk, code: Code });
        // Whatever isn't the entry's own fault passes: it stays due.
        if (SenderFault && pk !== undefined) await this.giveUp(pk, new Unsendable(Code));
      }),
    ]);
  }

  private async moveOn(due: Due | undefined): Promise<void> {
    if (!due) return;
    const next = Date.parse(clock.now()) + this.options.intervalSeconds * 1000;
    // Not where another sweeper moved it meanwhile, and not back to life where its owner was faster.
    const isAsItWasRead = '#status = :pending AND executeAt = :seen';
    try {
      await documents.send(
        new UpdateCommand({
          TableName: this.options.table,
          Key: { pk: due.pk },
          UpdateExpression: 'SET executeAt = :next ADD attempts :one',
          ConditionExpression: isAsItWasRead,
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':next': new Date(next).toISOString(),
            ':one': 1,
            ':pending': PENDING,
            ':seen': due.executeAt,
          },
        }),
      );
    } catch (error) {
      // In the way is its owner's transaction. Where that fails, the timer is due at the next sweep.
      const isOwners =
        error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException;
      if (!isOwners) throw error;
    }
  }

  private async giveUp(pk: string, error: unknown): Promise<void> {
    const outcome = await this.failures.end(pk, { error });
    if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
    logger.error('a timer can never be handed out', { record: pk, outcome, ...describeError(error) });
  }
}

/** @throws {ContractViolation} {@link TooLarge} for what no `set` of ours has written */
function readable({ payload }: Item, now: string): Pick<Due, 'payload' | 'group' | 'late'> {
  const text = String(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAYLOAD_BYTES) throw new TooLarge(`a timer of ${bytes} bytes is above ${MAX_PAYLOAD_BYTES}`);
  const { time, actor, onbehalfof } = readEnvelope(text);
  return { payload: text, group: messageGroupOf(actor, onbehalfof), late: secondsBetween(time, now) };
}

/** Lets each come to its end, whatever becomes of the others. @throws the first failure */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
