import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, type Item } from '../aws/dynamodb.js';
import { DUE_INDEX } from '../aws/indexes.js';
import { Metric } from '../aws/metric-names.js';
import { queryItems } from '../aws/read-items.js';
import { logger, recordSeconds } from '../aws/telemetry.js';
import { DUE_SHARDS, duePartition, LEASES } from './contract.js';
import { awaitAll, TimerDispatcher, type TimerDispatcherOptions } from './timer-dispatcher.js';

/** Stored messages of one page, where the owner names no other number. */
const PAGE = 20;
/** Milliseconds that a sweep keeps free before the function's timeout. It begins no page in this time. */
const RESERVE_MS = 8_000;

/** Keys of the due records in one shard, oldest first, as far as the index knows. */
interface Page {
  readonly keys: readonly string[];
  /** Start of the next page. It is absent on the last page. */
  readonly next?: Item;
}

export interface SweeperOptions extends TimerDispatcherOptions {
  /** Stored messages that are read at once, at most 100. @default 20 */
  readonly pageSize?: number;
  /** Partitions of the index that are swept besides those of waiting messages. @default none */
  readonly partitions?: readonly string[];
}

/** Finds due timers and sends them, page by page. It works on all shards in parallel. */
export class Sweeper {
  private readonly dispatcher: TimerDispatcher;

  constructor(private readonly options: SweeperOptions) {
    this.dispatcher = new TimerDispatcher(options);
  }

  /**
   * Runs one sweep. A sweep that finds no due timer writes nothing.
   *
   * A lease stops a second sweeper that runs at the same time. The lease saves work but is no guard: two sweepers would
   * send a timer twice, and the owner deduplicates it.
   * @param timeLeft returns the milliseconds until the function's timeout
   * @throws what the SDK throws, after all pages of all shards were tried. The remaining timers are due at the next
   *   sweep.
   */
  async sweep(timeLeft: () => number): Promise<void> {
    const waiting = Array.from({ length: DUE_SHARDS }, (_, shard) => duePartition(this.options.owner, shard));
    const shards = [...waiting, ...(this.options.partitions ?? [])];
    const now = clock.now();
    const firsts = await Promise.all(shards.map((shard) => this.readDuePage(shard, now)));
    if (firsts.every(({ keys }) => keys.length === 0)) return;
    if (!(await this.acquireLease(timeLeft()))) return;
    let latest = 0;
    const failures: unknown[] = [];
    const sweepShard = async (shard: string, first: Page): Promise<void> => {
      for (let page: Page | undefined = first; page; ) {
        if (page.keys.length > 0) {
          // A page that fails must not block the pages behind it. Otherwise it might fail every minute, and they would
          // never be sent.
          const late = await this.dispatcher
            .dispatchPage(page.keys)
            .catch((error: unknown) => void failures.push(error));
          latest = Math.max(latest, late ?? 0);
        }
        if (page.next && timeLeft() < RESERVE_MS) {
          logger.warn('not all due timers were sent in time', { shard });
          break;
        }
        page = page.next && (await this.readDuePage(shard, now, page.next));
      }
    };
    try {
      await awaitAll(firsts.map((first, at) => sweepShard(shards[at] ?? '', first)));
      if (failures.length > 0) throw failures[0];
    } finally {
      recordSeconds(Metric.TIMER_LATENESS, latest);
    }
  }

  private async readDuePage(shard: string, now: string, from?: Item): Promise<Page> {
    const query = {
      TableName: this.options.table,
      IndexName: DUE_INDEX,
      KeyConditionExpression: 'duePk = :shard AND executeAt <= :now',
      ExpressionAttributeValues: { ':shard': shard, ':now': now },
    };
    const { items, next } = await queryItems(documentClient, query, { limit: this.options.pageSize ?? PAGE, from });
    return { keys: items.map(({ pk }) => String(pk)), ...(next && { next }) };
  }

  /**
   * Takes the lease until the function's timeout. The timeout is before the next minute, so nobody has to release the
   * lease.
   */
  private async acquireLease(milliseconds: number): Promise<boolean> {
    const now = clock.now();
    const until = new Date(Date.parse(now) + milliseconds).toISOString();
    const isFree = 'attribute_not_exists(pk) OR heldUntil < :now';
    try {
      await documentClient.send(
        new PutCommand({
          TableName: this.options.table,
          Item: { pk: `${LEASES}${this.options.owner}`, heldUntil: until },
          ConditionExpression: isFree,
          ExpressionAttributeValues: { ':now': now },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}
