import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { clock, secondsBetween } from '../aws/clock.js';
import { documentClient } from '../aws/dynamodb.js';
import { describeError, logger } from '../aws/telemetry.js';
import { roundTripKey } from './contract.js';

/**
 * Times for which a measured round trip counts, in seconds: as long as itself, between these two. A participant that has
 * stopped answers nothing that renews it.
 */
const VALIDITY_SECONDS = { least: 300, most: 3_600 };
/** Time after which a shorter round trip takes the place of a longer one, in seconds. */
const LONGEST_OF_SECONDS = 60;

/**
 * Longest round trip of each step within the last minute: the seconds from a step's command to its answer in the saga, with
 * every queue between them. Only late answers are stored, so a saga without a backlog pays nothing.
 *
 * It is a hint. If it can't be read or stored, steps are sent again as if there were no backlog.
 */
export class RoundTrips {
  constructor(
    private readonly table: string,
    private readonly aggregate: string,
  ) {}

  /** Returns the seconds that recent late answers to a step took, or `undefined` if none is known. */
  async read(step: string): Promise<number | undefined> {
    try {
      const { Item } = await documentClient.send(new GetCommand({ TableName: this.table, Key: this.keyOf(step) }));
      if (!Item) return undefined;
      const { at, seconds } = Item;
      const counts = Math.min(Math.max(seconds, VALIDITY_SECONDS.least), VALIDITY_SECONDS.most);
      return secondsBetween(at, clock.now()) <= counts ? seconds : undefined;
    } catch (error) {
      logger.warn('the round trip is not known', describeError(error));
      return undefined;
    }
  }

  /** Stores the round trip of a late answer, unless a longer one was stored within a minute. */
  async store(step: string, seconds: number): Promise<void> {
    const now = clock.now();
    const minuteAgo = new Date(Date.parse(now) - LONGEST_OF_SECONDS * 1000).toISOString();
    const isLonger = 'attribute_not_exists(pk) OR #seconds <= :seconds OR #at < :minuteAgo';
    try {
      await documentClient.send(
        new PutCommand({
          TableName: this.table,
          Item: { ...this.keyOf(step), seconds, at: now },
          ConditionExpression: isLonger,
          ExpressionAttributeNames: { '#seconds': 'seconds', '#at': 'at' },
          ExpressionAttributeValues: { ':seconds': seconds, ':minuteAgo': minuteAgo },
        }),
      );
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return;
      logger.warn('the round trip is not stored', describeError(error));
    }
  }

  private keyOf(step: string) {
    return { pk: roundTripKey(this.aggregate), sk: step };
  }
}
