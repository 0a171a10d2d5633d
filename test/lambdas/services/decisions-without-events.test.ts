import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { type AnyEvent, eventToWrite, type ServiceContract } from '../../../lambdas/patterns/contract.js';
import { documents } from '../../../lambdas/platform/dynamodb.js';
import { Env } from '../../../lambdas/platform/environment.js';
import { inventoryContract } from '../../../lambdas/services/inventory/contract.js';
import { type OrderEvent, ordersContract } from '../../../lambdas/services/orders/contract.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { traceOf } from '../../support/tally.js';

/** A consumer that finds nothing to do decided on a version: what comes in between its load and its record is seen. */

functionEnvironment({
  [Env.SERVICE]: 'tester',
  [Env.CONSUMER]: 'tester',
  [Env.CONSUMER_GENERATION]: '0',
  [Env.QUEUE_URL]: 'https://queue',
  [Env.MAX_ATTEMPTS]: '8',
});
const { calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
const { orderStore } = await import('../../../lambdas/services/orders/order-store.js');
const { reservationStore } = await import('../../../lambdas/services/inventory/reservation-store.js');
const onStockAnswer = await import('../../../lambdas/services/orders/on-stock-answer.lambda.js');
const onOrderEvent = await import('../../../lambdas/services/inventory/on-order-event.lambda.js');

/** Runs once, between the next load and what follows it. */
let rival: (() => Promise<unknown>) | undefined;
documents.middlewareStack.add(
  (next, context) => async (args) => {
    const answer = await next(args);
    const comesNow = context.commandName === 'QueryCommand' ? rival : undefined;
    if (comesNow) rival = undefined;
    await comesNow?.();
    return answer;
  },
  { step: 'initialize' },
);

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

async function deliver(handler: Handler, contract: ServiceContract, event: AnyEvent, id: string) {
  const { schemaVersion, data } = eventToWrite(contract, event);
  const source = `orderly.${contract.service}`;
  const detail = {
    id,
    source,
    type: event.type,
    subject: 'Thing/1',
    time: new Date().toISOString(),
    dataschema: `urn:orderly:${contract.service}:${event.type}:${schemaVersion}`,
    data,
    sequence: 1,
    epoch: 0,
    correlationid: 'c',
    causationid: 'm',
    traceparent: 't',
    actor: 'service:other',
    onbehalfof: 'customer:alice',
  };
  const record = {
    messageId: id,
    body: JSON.stringify({ source, 'detail-type': event.type, detail }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
  };
  const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
  expect(await handler({ Records: [record] } as unknown as SQSEvent, context)).toEqual({ batchItemFailures: [] });
}

const recordOf = async (id: string) =>
  (await documents.send(new GetCommand({ TableName: 'records', Key: { pk: `tester@0#${id}` } }))).Item;
const loads = () => calls.filter(({ operation }) => operation === 'Query').length;

async function append(store: typeof orderStore, id: string, events: readonly OrderEvent[]): Promise<void> {
  await store.append(store.commit(await store.load(id), events, traceOf(randomUUID())));
}

const placed = (orderId: string): OrderEvent => ({
  type: 'OrderPlaced',
  data: {
    orderId,
    customerId: 'alice',
    lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 1, currency: 'EUR' } }],
    total: { amount: 1, currency: 'EUR' },
    placedAt: '2026-01-01T00:00:00.000Z',
  },
});

test('stock is reserved for an order that is approved: recorded, and decided anew where it is cancelled meanwhile', async () => {
  const orderId = randomUUID();
  await append(orderStore, orderId, [placed(orderId), { type: 'OrderApproved', data: { orderId } }]);
  const message = randomUUID();
  calls.length = 0;
  rival = async () => {
    const loaded = await orderStore.load(orderId);
    await orderStore.append(
      orderStore.commit(loaded, [{ type: 'OrderCancelled', data: { orderId } }], traceOf('rival')),
    );
  };
  await deliver(
    onStockAnswer.handler,
    inventoryContract,
    { type: 'StockReserved', data: { orderId, lines: [] } },
    message,
  );
  // The first load, the rival's, and the one that the second decision is made on.
  expect(loads()).toBe(3);
  expect(await recordOf(message)).toMatchObject({ status: 'PROCESSED' });
  expect(await orderStore.load(orderId)).toMatchObject({ version: 3, state: { status: 'CANCELLED' } });
});

test('an order is placed again where its reservation is void: recorded, and decided anew where something comes in between', async () => {
  const orderId = randomUUID();
  const voided = { type: 'ReservationVoided', data: { orderId } } as const;
  const nothing = await reservationStore.load(orderId);
  await reservationStore.append(reservationStore.commit(nothing, [voided], traceOf('cancelled first')));
  const message = randomUUID();
  calls.length = 0;
  rival = async () => {
    const loaded = await reservationStore.load(orderId);
    await reservationStore.append(reservationStore.commit(loaded, [voided], traceOf('rival')));
  };
  await deliver(onOrderEvent.handler, ordersContract, placed(orderId), message);
  expect(loads()).toBe(3);
  expect(await recordOf(message)).toMatchObject({ status: 'PROCESSED' });
});

test('what a service does because of a message names who began it', async () => {
  const orderId = randomUUID();
  await append(orderStore, orderId, [placed(orderId)]);
  await deliver(
    onStockAnswer.handler,
    inventoryContract,
    { type: 'StockRejected', data: { orderId, reason: 'OUT_OF_STOCK', skus: ['TEA-1'] } },
    randomUUID(),
  );
  const { items } = await orderStore.history(orderId, { commit: 1, shown: 0 }, 10);
  expect(items[1]).toMatchObject({
    type: 'OrderRejected',
    actor: 'service:tester',
    onBehalfOf: 'customer:alice',
    data: { reason: 'OUT_OF_STOCK', skus: ['TEA-1'] },
  });
});
