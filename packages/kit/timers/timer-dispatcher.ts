import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { SQS_BATCH, splitIntoBatches, utf8Bytes } from '../aws/batches.js';
import { clock, secondsBetween } from '../aws/clock.js';
import { documentClient, type Item } from '../aws/dynamodb.js';
import { TooLarge } from '../aws/dynamodb-limits.js';
import { Metric } from '../aws/metric-names.js';
import { readItems } from '../aws/read-items.js';
import { SafeText, safeText } from '../aws/safe-error.js';
import { count, describeError, logger } from '../aws/telemetry.js';
import { PENDING, STORED } from '../failures/delivery.js';
import { Unsendable } from '../failures/failure-kinds.js';
import { FailureRecords } from '../failures/failure-records.js';
import { messageGroupOf, readEnvelope } from '../messages/envelope.js';
import { toDispatchBody } from './contract.js';
import { MAX_PAYLOAD_BYTES } from './timers.js';

export interface TimerDispatcherOptions {
  /** Name of the service's idempotency table. */
  readonly table: string;
  /** Name of the consumer that owns the timers. */
  readonly owner: string;
  /** URL of the owner's queue. */
  readonly queue: string;
  /** Seconds for which a timer is left to its owner before it is sent again. */
  readonly intervalSeconds: number;
  /**
   * Body of the queue's message: the stored message itself, or the key of its record. By key, the stored message may have
   * any size, and whoever takes it counts its attempts.
   * @default 'message'
   */
  readonly sends?: 'message' | 'key';
}

/** A stored message that is due. */
interface DueTimer {
  readonly pk: string;
  readonly executeAt: string;
  /** Body in the owner's queue. */
  readonly body: string;
  /** Message group in the owner's queue. */
  readonly group: string;
  /** Seconds since the time for which it was set. */
  readonly late: number;
}

/** Size of a timer's message: its body, and the name, type and value of its attribute. */
const messageBytes = ({ body, pk }: DueTimer): number => utf8Bytes(body) + utf8Bytes(`${STORED}String${pk}`);

/**
 * Sends due timers to their owner, at least once. It sends a timer first and reschedules it afterwards. A crash in
 * between makes the next sweep send the timer again.
 *
 * Only the owner's effect ends a timer. The one exception is a timer that can never be sent: it becomes a failure
 * record here.
 */
export class TimerDispatcher {
  private readonly sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  private readonly failures: FailureRecords;

  constructor(private readonly options: TimerDispatcherOptions) {
    this.failures = new FailureRecords(options.table, { name: options.owner, generation: 0 });
  }

  /**
   * Sends one page of due timers.
   * @param keys keys of at most 20 records that may be due. The index may be behind, so each record itself is read.
   * @returns the lateness of the latest timer that was sent, in seconds
   * @throws what the SDK throws, after everything else was tried. A timer that was not rescheduled is due at the next
   *   sweep.
   */
  async dispatchPage(keys: readonly string[]): Promise<number> {
    const now = clock.now();
    const due: DueTimer[] = [];
    const poison: { readonly pk: string; readonly error: unknown }[] = [];
    for (const item of await this.read(keys)) {
      const { pk, status, executeAt } = item as { pk: string; status?: unknown; executeAt?: unknown };
      if (status !== PENDING || typeof executeAt !== 'string' || executeAt > now) continue;
      try {
        due.push({ pk, executeAt, ...this.buildEntry(item, executeAt, now) });
      } catch (error) {
        poison.push({ pk, error });
      }
    }
    const batches = splitIntoBatches(due, messageBytes, SQS_BATCH);
    await awaitAll([
      ...batches.map((batch) => this.sendBatch(batch)),
      ...poison.map(({ pk, error }) => this.giveUp(pk, error)),
    ]);
    return Math.max(0, ...due.map(({ late }) => late));
  }

  private async read(keys: readonly string[]): Promise<readonly Item[]> {
    // While an index entry moves, a query may return it twice, and BatchGetItem refuses a key that is named twice.
    const unique = [...new Set(keys)].map((pk) => ({ pk }));
    return readItems(documentClient, this.options.table, unique, { consistent: true });
  }

  private buildEntry(item: Item, executeAt: string, now: string): Pick<DueTimer, 'body' | 'group' | 'late'> {
    if (this.options.sends !== 'key') return readTimer(item, now);
    const { pk, group } = item;
    return { body: toDispatchBody({ record: String(pk) }), group: String(group), late: secondsBetween(executeAt, now) };
  }

  private async sendBatch(batch: readonly DueTimer[]): Promise<void> {
    const { Successful = [], Failed = [] } = await this.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: this.options.queue,
        Entries: batch.map(({ pk, body, group }, at) => ({
          Id: String(at),
          MessageBody: body,
          // SQS treats a message without a group as a tenant of its own. Then a noisy customer's timers would all count
          // as quiet.
          MessageGroupId: group,
          MessageAttributes: { [STORED]: { DataType: 'String', StringValue: pk } },
        })),
      }),
    );
    await awaitAll([
      ...Successful.map(({ Id }) => this.reschedule(batch[Number(Id)])),
      ...Failed.map(async ({ Id, SenderFault, Code = 'unknown' }) => {
        const pk = batch[Number(Id)]?.pk;
        logger.warn('an entry was refused', { record: pk, code: Code });
        // Any fault that is not the entry's own is transient. The timer stays due.
        if (SenderFault && pk !== undefined) await this.giveUp(pk, new Unsendable(SafeText.trusted(Code)));
      }),
    ]);
  }

  private async reschedule(due: DueTimer | undefined): Promise<void> {
    if (!due) return;
    const next = Date.parse(clock.now()) + this.options.intervalSeconds * 1000;
    // Does not overwrite the time that another sweeper has set meanwhile, and does not revive a timer that its owner
    // has already processed.
    const isAsItWasRead = '#status = :pending AND executeAt = :seen';
    try {
      await documentClient.send(
        new UpdateCommand({
          TableName: this.options.table,
          Key: { pk: due.pk },
          UpdateExpression:
            this.options.sends === 'key' ? 'SET executeAt = :next' : 'SET executeAt = :next ADD attempts :one',
          ConditionExpression: isAsItWasRead,
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':next': new Date(next).toISOString(),
            ...(this.options.sends === 'key' ? {} : { ':one': 1 }),
            ':pending': PENDING,
            ':seen': due.executeAt,
          },
        }),
      );
    } catch (error) {
      // The owner's transaction conflicts with this update. If that transaction fails, the timer is due at the next
      // sweep.
      const isOwners =
        error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException;
      if (!isOwners) throw error;
    }
  }

  private async giveUp(pk: string, error: unknown): Promise<void> {
    const outcome = await this.failures.failPending(pk, { error });
    if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
    logger.error('a timer can never be sent', { record: pk, outcome, ...describeError(error) });
  }
}

/**
 * Reads the payload of a due record. A payload that `set` wrote never throws.
 * @throws {ContractViolation} if the payload is not a valid message
 * @throws {TooLarge} above 24 KiB
 */
function readTimer({ payload }: Item, now: string): Pick<DueTimer, 'body' | 'group' | 'late'> {
  const text = String(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAYLOAD_BYTES) throw new TooLarge(safeText`a timer of ${bytes} bytes is above ${MAX_PAYLOAD_BYTES}`);
  const { time, actor, onbehalfof } = readEnvelope(text);
  return { body: text, group: messageGroupOf(actor, onbehalfof), late: secondsBetween(time, now) };
}

/**
 * Waits until all promises have settled.
 * @throws the first failure
 */
export async function awaitAll(works: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
