import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { documents } from '../../platform/dynamodb.js';
import { Env } from '../../platform/environment.js';
import { required } from '../../platform/read-environment.js';
import type { OrderView } from './contract.js';

const TableName = required(Env.TABLE);
const partitionOf = (customerId: string): string => `CUSTOMER#${customerId}`;
const PREFIX = 'ORDER#';

/** Where an order stands in its customer's list: newest first, ids where two were placed in one millisecond. */
export const positionOfOrder = ({ placedAt, orderId }: OrderView): string => `${placedAt}#${orderId}`;

/**
 * Puts an order's row unless a newer version stands there: so it doesn't matter how often and in which order its events
 * arrive, and a rebuild is the same call.
 */
export async function putRow(order: OrderView): Promise<'applied' | 'duplicate'> {
  const isNewer = 'attribute_not_exists(pk) OR version < :version';
  const Item = {
    pk: partitionOf(order.customerId),
    sk: PREFIX + positionOfOrder(order),
    version: order.version,
    // As text: an answer's fields keep their order, and a rebuilt row is the same to the byte.
    order: JSON.stringify(order),
  };
  try {
    await documents.send(
      new PutCommand({
        TableName,
        Item,
        ConditionExpression: isNewer,
        ExpressionAttributeValues: { ':version': order.version },
      }),
    );
    return 'applied';
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'duplicate';
    throw error;
  }
}

/**
 * A customer's orders, newest first, eventually consistent.
 * @param before position of the last order shown; @param limit at most so many
 * @returns one more than `limit` where there are more
 */
export async function ordersOf(
  customerId: string,
  before: string | undefined,
  limit: number,
): Promise<readonly OrderView[]> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': partitionOf(customerId),
        ':first': PREFIX,
        // BETWEEN takes its ends in: the row shown last is left out below.
        ':last': PREFIX + (before ?? '~'),
      },
      ScanIndexForward: false,
      Limit: limit + 2,
    }),
  );
  const orders = Items.map(({ order }) => JSON.parse(order) as OrderView);
  return orders.filter((order) => positionOfOrder(order) !== before).slice(0, limit + 1);
}
