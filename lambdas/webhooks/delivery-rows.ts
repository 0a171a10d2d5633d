import { clock, documentClient, type Item, queryItems, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import type { AttemptView, DeliveryStatus, DeliveryView } from './contract.js';
import type { Due } from './delivery-contract.js';
import { DELIVERIES } from './keys.js';

/** Days for which a delivery is shown, and can be sent again. */
export const DELIVERY_DAYS = 35;

/** A delivery as the table has it: what is sent, and what became of it. */
export interface DeliveryRow extends DeliveryView {
  readonly webhookId: string;
  /** Body of the requests. */
  readonly payload: string;
  /** Time from which on it has been tried, the newest time that somebody asked for it (ISO 8601). */
  readonly since: string;
  /** Time before which the receiver wants no attempt (ISO 8601). */
  readonly notBefore?: string;
}

const keyOf = ({ webhookId, deliveryId }: Due) => ({ pk: DELIVERIES + webhookId, sk: deliveryId });

/** Returns the write of a new delivery. */
export const newDeliveryWrite = ({ name }: Pick<Table, 'name'>, row: DeliveryRow): TransactWriteItem => ({
  Put: {
    TableName: name,
    Item: { ...row, ...keyOf(row), expiresAt: clock.epochSeconds() + DELIVERY_DAYS * 86_400 },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** Reads a delivery, strongly consistent. It is gone after {@link DELIVERY_DAYS}. */
export async function readDelivery(table: Pick<Table, 'read'>, due: Due): Promise<DeliveryRow | undefined> {
  const item = await table.read(keyOf(due));
  return item && toRow(item);
}

/** Change of a row by an attempt. */
export interface Attempted {
  /** Absent if no request was made. */
  readonly attempt?: AttemptView;
  readonly status: DeliveryStatus;
  readonly notBefore?: string;
}

/** A row that has expired is not written again. */
const IS_THERE = 'attribute_exists(pk)';

/** Returns the write that enters an attempt. */
export const attemptWrite = (
  { name }: Pick<Table, 'name'>,
  due: Due,
  { attempt, status, notBefore = '' }: Attempted,
): TransactWriteItem => ({
  Update: {
    TableName: name,
    Key: keyOf(due),
    UpdateExpression: 'SET #status = :status, notBefore = :notBefore, attempts = list_append(attempts, :attempts)',
    ConditionExpression: IS_THERE,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': status, ':notBefore': notBefore, ':attempts': attempt ? [attempt] : [] },
  },
});

/** Returns the write that begins a delivery again. */
export const restartWrite = ({ name }: Pick<Table, 'name'>, due: Due): TransactWriteItem => ({
  Update: {
    TableName: name,
    Key: keyOf(due),
    UpdateExpression: 'SET #status = :pending, since = :now, notBefore = :none',
    ConditionExpression: IS_THERE,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':pending': 'PENDING' satisfies DeliveryStatus, ':now': clock.now(), ':none': '' },
  },
});

/**
 * Reads deliveries of a webhook, the newest first, strongly consistent.
 * @param before id of the last delivery that was shown
 */
export async function readDeliveriesBefore(
  { name }: Pick<Table, 'name'>,
  webhookId: string,
  before: string | undefined,
  limit: number,
): Promise<readonly DeliveryRow[]> {
  const query = {
    TableName: name,
    KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: {
      ':pk': DELIVERIES + webhookId,
      ...(before === undefined ? {} : { ':before': before }),
    },
    ScanIndexForward: false,
    ConsistentRead: true,
  };
  return (await queryItems(documentClient, query, { limit })).items.map(toRow);
}

/** Returns a delivery as answers show it. */
export function toDeliveryView(row: DeliveryRow): DeliveryView {
  const { deliveryId, messageId, type, orderId, occurredAt, status, attempts } = row;
  return { deliveryId, messageId, type, orderId, occurredAt, status, attempts };
}

const toRow = ({ pk: _, sk: __, expiresAt: ___, ...row }: Item): DeliveryRow => row as unknown as DeliveryRow;
