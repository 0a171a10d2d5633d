import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { readDelivery } from '../../../packages/kit/failures/delivery.js';
import { FailureRecords, recordKey } from '../../../packages/kit/failures/failure-records.js';
import { readSender } from '../../../packages/kit/messages/envelope.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

test('the bus event of a message that can not be read names its publisher and its type', () => {
  const event = {
    source: 'orderly.orders',
    'detail-type': 'OrderPlaced',
    detail: { source: 'someone', type: 'Other' },
  };
  expect(readSender(JSON.stringify(event))).toEqual({ source: 'orderly.orders', type: 'OrderPlaced' });
});

test('what is no bus event, or has no names there, has no publisher', () => {
  for (const body of ['', 'not JSON', 'null', '[]', '{"source":"a"}', '{"source":"a","detail-type":3}'])
    expect(readSender(body)).toEqual({});
  const text = JSON.stringify({ source: 'a', 'detail-type': 'a sentence about alice@example.com' });
  expect(readSender(text)).toEqual({});
});

test('the failure record of a malformed event keeps its publisher and its type', async () => {
  inProcessDynamoDb({ records: ['pk'] });
  const consumer = { name: 'rooms', generation: 0 };
  const body = JSON.stringify({ source: 'shop.trips', 'detail-type': 'TripBooked', detail: { id: 'm1' } });
  const record = { body, attributes: { ApproximateReceiveCount: '5' }, messageAttributes: {} } as unknown as SQSRecord;
  const delivery = readDelivery(record, { app: 'shop', window: 35 * 86_400 });
  await new FailureRecords('records', consumer).record(delivery, delivery.message);
  const { Item } = await documentClient.send(
    new GetCommand({ TableName: 'records', Key: { pk: recordKey(consumer, delivery.id) } }),
  );
  expect(Item).toMatchObject({ status: 'FAILED', source: 'shop.trips', type: 'TripBooked' });
});
