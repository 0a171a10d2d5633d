import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { AuditKey } from './contract.js';

/** Shards of a feed in which the auditor has found commits: a mask in hexadecimal digits for each hour, as `2026-12-01T08`. */
export type NotedHours = Readonly<Record<string, string>>;

/** How far the feed of one service has been audited. */
export interface Watermark {
  readonly service: string;
  /** Time before which each delivery has been judged, in ISO 8601, UTC. */
  readonly auditedUntil: string;
  /** For each shard, the id of its last commit that was judged, or the smallest id of a time. */
  readonly shards: readonly string[];
  /** First full hour from which on each partition with commits is noted, in ISO 8601, UTC. An auditor of an earlier release removes it. */
  readonly notedFrom?: string | undefined;
  /** Partitions with commits, of the hours of about a day. */
  readonly hours?: NotedHours | undefined;
  /** Counts the changes: the condition of each write. 0 for one that isn't stored yet. */
  readonly version: number;
}

const Stored = z.object({
  sk: z.string(),
  auditedUntil: z.string(),
  shards: z.array(z.string()),
  notedFrom: z.optional(z.string()),
  hours: z.optional(z.record(z.string(), z.string())),
  version: z.int(),
});

/** Another run has moved the watermark: this one has lost its lease, and ends. */
export class WatermarkMoved extends Error {
  override readonly name = 'WatermarkMoved';
}

/** Watermarks and the lease, in the auditor's table. */
export class Watermarks {
  constructor(
    private readonly documents: DynamoDBDocumentClient,
    private readonly table: string,
  ) {}

  private async of(service: string): Promise<Watermark | undefined> {
    const { Item } = await this.documents.send(
      new GetCommand({ TableName: this.table, Key: { pk: AuditKey.WATERMARKS, sk: service }, ConsistentRead: true }),
    );
    return Item && parseWatermark(Item);
  }

  /**
   * Returns the watermarks of all services, by name.
   * @param unreadable called for each one that can't be read, which is left out. @default it is thrown
   */
  async all(
    unreadable: (error: unknown) => void = (error) => {
      throw error;
    },
  ): Promise<readonly Watermark[]> {
    const found: Watermark[] = [];
    const pages = paginateQuery(
      { client: this.documents },
      {
        TableName: this.table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': AuditKey.WATERMARKS },
      },
    );
    for await (const { Items = [] } of pages) {
      for (const item of Items) {
        try {
          found.push(parseWatermark(item));
        } catch (error) {
          unreadable(error);
        }
      }
    }
    return found;
  }

  /** Returns the number of deliveries that were sent again and are followed. */
  async followed(): Promise<number> {
    let count = 0;
    const pages = paginateQuery(
      { client: this.documents },
      {
        TableName: this.table,
        Select: 'COUNT',
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': AuditKey.RESENT },
      },
    );
    for await (const { Count = 0 } of pages) count += Count;
    return count;
  }

  /**
   * Moves a watermark, if nobody has moved it since it was read. So a run that lost its lease can't move one back.
   * @returns the stored watermark
   * @throws {WatermarkMoved}
   */
  async move({ service, version, ...moved }: Watermark): Promise<Watermark> {
    const Item = { pk: AuditKey.WATERMARKS, sk: service, ...moved, version: version + 1 };
    try {
      await this.documents.send(
        new PutCommand({
          TableName: this.table,
          Item,
          ...(version === 0
            ? { ConditionExpression: 'attribute_not_exists(pk)' }
            : {
                ConditionExpression: '#version = :version',
                ExpressionAttributeNames: { '#version': 'version' },
                ExpressionAttributeValues: { ':version': version },
              }),
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // A retry of the SDK is refused by its own first attempt.
      const now = await this.of(service);
      if (now === undefined || JSON.stringify(now) !== JSON.stringify(parseWatermark(Item)))
        throw new WatermarkMoved(`the watermark of ${service} was moved by another run`);
    }
    return parseWatermark(Item);
  }

  /**
   * Takes the lease until a time. It saves work and is no guard: two runs would send a delivery twice, and its consumer
   * would recognise the duplicate.
   * @returns whether no other run has it
   */
  async take(now: string, until: string): Promise<boolean> {
    try {
      await this.documents.send(
        new PutCommand({
          TableName: this.table,
          Item: { pk: AuditKey.LEASE, sk: AuditKey.LEASE, heldUntil: until },
          ConditionExpression: 'attribute_not_exists(pk) OR heldUntil < :now',
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

function parseWatermark(item: unknown): Watermark {
  const { sk, version, auditedUntil, shards, ...notes } = z.parse(Stored, item);
  return { service: sk, auditedUntil, shards, ...notes, version };
}
