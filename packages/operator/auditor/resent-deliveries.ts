import { DeleteCommand, paginateQuery, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describeError, logger } from '@orderly/kit/internal/aws/telemetry.js';
import * as z from 'zod/mini';
import { buildQueueBody } from '../audit/audit.js';
import { describeResendReason, type JudgedDelivery, judgeDeliveries } from '../audit/judge-deliveries.js';
import { auditEntry, recordResult } from '../audit-log/audit-log.js';
import type { Service } from '../deployment/services.js';
import { readCommitsConsistently } from '../records/feed.js';
import { groupBy } from '../records/group-by.js';
import { recordUnreadable } from '../records/unreadable-commits.js';
import { AuditKey } from './contract.js';
import type { AuditorOptions } from './options.js';

/** Actor of the audit log's entries that the auditor makes. */
const ACTOR = 'the delivery audit';
/** Longest time between two looks at a delivery that was sent again, in seconds. */
const MAX_RETRY_SECONDS = 86_400;

const Followed = z.object({
  sk: z.string(),
  /** Service that committed the message. */
  from: z.string(),
  commit: z.object({ pk: z.string(), sk: z.string() }),
  consumer: z.string(),
  messageId: z.string(),
  /** Number of times that it was sent again. */
  times: z.int(),
  /** Time of the next look, in ISO 8601, UTC. */
  dueAt: z.string(),
  /** Key of its entry in the audit log. */
  log: z.object({ table: z.string(), pk: z.string(), sk: z.string() }),
});
type Followed = z.infer<typeof Followed>;

/**
 * Deliveries that the auditor sent again. Each has an item in its table until a record says how it ended: what was lost
 * once may be lost again.
 */
export class ResentDeliveries {
  /** Number of deliveries that this run may still send. */
  private left: number;

  constructor(private readonly options: AuditorOptions) {
    this.left = options.resends;
  }

  /**
   * Whether this run may send the missing deliveries of one commit. It sends them together, even those of a commit that
   * misses more than a run may send: else nothing after that commit would ever be audited.
   */
  mayBegin(count: number): boolean {
    return count <= this.left || this.left === this.options.resends;
  }

  /**
   * Sends a missing delivery to its consumer's queue. Its entry in the audit log and its item here are written before, so
   * that a run which is cut off in between leaves it to a later one.
   */
  async send(delivery: JudgedDelivery, from: Service): Promise<void> {
    const { documents, table, transports } = this.options;
    const { listener, commit, message } = delivery;
    const target = `${listener.name} ${message.id}`;
    const action = { actor: ACTOR, action: 'resend', target, reason: describeResendReason(delivery) } as const;
    const { put, key } = auditEntry(listener.service, action, transports.now());
    const Item = {
      pk: AuditKey.RESENT,
      sk: `${listener.name}#${message.id}`,
      from: from.name,
      commit: { pk: commit.pk, sk: commit.sk },
      consumer: listener.name,
      messageId: message.id,
      times: 1,
      dueAt: this.dueAfter(1),
      log: key,
    };
    await documents.send(
      new TransactWriteCommand({ TransactItems: [{ Put: put }, { Put: { TableName: table, Item } }] }),
    );
    await transports.send(listener.consumer?.queueUrl ?? '', this.bodyOf(delivery, from));
    this.left--;
  }

  /**
   * Looks at what is due, and ends it, or sends it once more.
   * @param hasBudgetLeft whether there is time for another page
   * @throws the first error, after every delivery was tried
   */
  async followUp(hasBudgetLeft: () => boolean): Promise<void> {
    const { documents, table, transports } = this.options;
    const pages = paginateQuery(
      { client: documents, pageSize: 100 },
      {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': AuditKey.RESENT },
      },
    );
    const failures: unknown[] = [];
    for await (const { Items = [] } of pages) {
      const now = transports.now();
      const due = Items.flatMap(parseFollowed).filter(({ dueAt }) => dueAt <= now);
      for (const [name, its] of groupBy(due, ({ from }) => from))
        await this.look(name, its).catch((error: unknown) => void failures.push(error));
      if (!hasBudgetLeft()) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  private async look(name: string, followed: readonly Followed[]): Promise<void> {
    const { documents, services, transports, behindSeconds } = this.options;
    const from = services.find((service) => service.name === name);
    const { commits, unreadable } = from
      ? await readCommitsConsistently(documents, from, uniqueCommits(followed))
      : { commits: [], unreadable: [] };
    const judged = from
      ? await judgeDeliveries(from, commits, { documents, services, transports, graceSeconds: behindSeconds })
      : [];
    if (from) for (const one of unreadable) await recordUnreadable(documents, from, one, transports.now());
    const isUnreadable = ({ commit }: Followed): boolean =>
      unreadable.some(({ pk, sk }) => pk === commit.pk && sk === commit.sk);
    const found = new Map(judged.map((one) => [`${one.listener.name}#${one.message.id}`, one]));
    for (const one of followed) {
      const delivery = found.get(one.sk);
      if (isUnreadable(one)) await this.end(one, "its commit can't be read");
      else if (!from || !delivery) await this.end(one, 'nobody receives it any more');
      else if (delivery.state === 'missing') await this.again(one, delivery, from);
      else if (delivery.isOpen) await this.later(one, one.times);
      else await this.end(one, delivery.state);
    }
  }

  private async again(followed: Followed, delivery: JudgedDelivery, from: Service): Promise<void> {
    if (this.left <= 0) return;
    this.left--;
    await this.later(followed, followed.times + 1);
    logger.warn('a delivery is missing again', { consumer: followed.consumer, messageId: followed.messageId });
    await this.options.transports.send(delivery.listener.consumer?.queueUrl ?? '', this.bodyOf(delivery, from));
  }

  /** Stores when the next look is due: later each time that it was sent. */
  private async later({ sk }: Followed, times: number): Promise<void> {
    await this.options.documents.send(
      new UpdateCommand({
        TableName: this.options.table,
        Key: { pk: AuditKey.RESENT, sk },
        UpdateExpression: 'SET #times = :times, dueAt = :dueAt',
        // Another run may have ended it.
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#times': 'times' },
        ExpressionAttributeValues: { ':times': times, ':dueAt': this.dueAfter(times) },
      }),
    );
  }

  private async end({ sk, log, times }: Followed, state: string): Promise<void> {
    const { documents, table } = this.options;
    await recordResult(documents, log, times > 1 ? `${state}, sent ${times} times` : state);
    await documents.send(new DeleteCommand({ TableName: table, Key: { pk: AuditKey.RESENT, sk } }));
  }

  private bodyOf = (delivery: JudgedDelivery, from: Service): string =>
    buildQueueBody(delivery, from, this.options.app);

  private dueAfter(times: number): string {
    const seconds = Math.min(this.options.behindSeconds * 2 ** (times - 1), MAX_RETRY_SECONDS);
    return new Date(Date.parse(this.options.transports.now()) + seconds * 1000).toISOString();
  }
}

/** Reads an item of a delivery that is followed. One that can't be read is left as it is. */
function parseFollowed(item: unknown): readonly Followed[] {
  const { success, data, error } = z.safeParse(Followed, item);
  if (success) return [data];
  logger.error('what follows a delivery can not be read', describeError(error));
  return [];
}

const uniqueCommits = (followed: readonly Followed[]) => [
  ...new Map(followed.map(({ commit }) => [`${commit.pk} ${commit.sk}`, commit])).values(),
];
