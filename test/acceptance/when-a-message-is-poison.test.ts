import { describe, expect, test } from 'vitest';
import { ordersContract } from '../../lambdas/orders/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { causedBy, newOrderId, orderPlaced, queued, toInventory } from './messages.js';
import { becomes, get, line, placed, stocked } from './orders.js';
import { stockSteps } from './stock.js';
import type { FailureRecord } from './world.js';

/** Consumer with the most message types: everything that an order's saga does. */
const CONSUMER = 'orders-saga';

/** Returns a value that no failure reason may contain. */
const secret = (): string => world.fresh('secret');

const failed = (including: string): Promise<FailureRecord> =>
  world.eventually(`there is a failure record about ${including}`, async () => {
    const [record, ...more] = await world.failures(CONSUMER, including);
    expect(record).toBeDefined();
    expect(more).toEqual([]);
    return record!;
  });

interface Poison {
  readonly name: string;
  readonly body: (secret: string) => string;
  /** Expected reason: only codes and paths. */
  readonly reason: string;
}

const changed = (change: (event: Record<string, unknown>, secret: string) => object) => (secret: string) =>
  queued(change({ ...orderPlaced(newOrderId(), [line('sku')]), causationid: secret }, secret) as Envelope);
const withData = (change: (secret: string) => object) =>
  changed((event, secret) => ({ ...event, data: { ...(event.data as object), ...change(secret) } }));

const POISON: readonly Poison[] = [
  { name: 'not JSON', body: (secret) => `{ "broken": ${secret}`, reason: 'INVALID_ENVELOPE: not JSON' },
  {
    name: 'JSON of another shape',
    body: (secret) => JSON.stringify([secret]),
    reason: 'INVALID_ENVELOPE: (root) invalid_type',
  },
  {
    name: 'no envelope',
    body: (secret) => JSON.stringify({ source: 'orderly.orders', 'detail-type': 'OrderPlaced', detail: { secret } }),
    reason: 'INVALID_ENVELOPE: detail.id invalid_type, detail.source invalid_type',
  },
  {
    name: 'an envelope whose fields break its schema',
    body: changed((event, secret) => ({ ...event, time: secret, sequence: secret })),
    reason: 'INVALID_ENVELOPE: detail.time invalid_format, detail.sequence invalid_type',
  },
  {
    name: 'an event of a service that it does not hear',
    body: changed((event) => ({
      ...event,
      source: 'orderly.baskets',
      dataschema: 'urn:orderly:baskets:OrderPlaced:1',
    })),
    reason: 'UNKNOWN_TYPE: this consumer listens to orders,',
  },
  {
    name: 'a command to somebody else',
    body: changed((event) => ({
      ...event,
      to: 'inventory',
      dataschema: 'urn:orderly:inventory:OrderPlaced:1',
    })),
    reason: 'UNKNOWN_TYPE: this consumer listens to orders,',
  },
  {
    name: 'the schema of another type',
    body: changed((event) => ({ ...event, dataschema: 'urn:orderly:orders:OrderCancelled:1' })),
    reason: 'INVALID_ENVELOPE: dataschema names another service or type',
  },
  {
    name: 'a SKU on two lines, which no transaction takes',
    body: withData(() => ({ lines: [line('twice'), line('twice')] })),
    reason: 'INVALID_DATA: OrderPlaced: lines custom',
  },
  {
    name: 'an id that no key has room for',
    body: withData(() => ({ orderId: 'x'.repeat(5000) })),
    reason: 'INVALID_DATA: OrderPlaced: orderId too_big',
  },
  {
    name: 'data that breaks its schema',
    body: withData((secret) => ({ customerId: 7, lines: [{ sku: secret, quantity: 0 }] })),
    reason:
      'INVALID_DATA: OrderPlaced: customerId invalid_type, lines.0.quantity too_small, lines.0.unitPrice invalid_type',
  },
  {
    name: 'data that is missing',
    body: changed(({ data: _, ...event }) => event),
    reason: 'INVALID_ENVELOPE: detail.data invalid_type',
  },
];

describe('when a message is poison', () => {
  for (const { name, body, reason } of POISON) {
    test(`${name}: becomes a failure record with codes and paths, never a value`, async () => {
      const value = secret();
      await world.send(CONSUMER, body(value));
      const record = await failed(value);
      expect(record).toMatchObject({ status: 'FAILED', attempts: 1, failures: [{ name: 'ContractViolation' }] });
      expect(record.failures[0]!.message).toContain(reason);
      expect(JSON.stringify(record.failures)).not.toContain(value);
      expect(record.payload).toContain(value);
      expect(record).not.toHaveProperty('expiresAt');
    });
  }

  test('processes the good messages of the same batch', async () => {
    const sku = await stocked(10);
    const values = POISON.map(secret);
    const good = [orderPlaced(newOrderId(), [line(sku)]), orderPlaced(newOrderId(), [line(sku)])];
    const bodies = POISON.map(({ body }, at) => body(values[at]!));
    await world.send(CONSUMER, ...bodies.slice(0, 5), queued(good[0]!), ...bodies.slice(5), queued(good[1]!));
    await world.eventually('both good messages are processed', async () =>
      expect(await world.stock(sku)).toMatchObject({ reserved: 2 }),
    );
    for (const value of values) await failed(value);
  });

  test('writes one failure record for five deliveries', async () => {
    const value = secret();
    await world.send(CONSUMER, ...Array<string>(5).fill(`{ "broken": ${value}`));
    await failed(value);
    const sku = await stocked(1);
    await becomes((await placed([line(sku)])).orderId, 'APPROVED');
    await failed(value);
  });

  test('fails at each of its consumers if it comes over the bus, and orders continue', async () => {
    const id = world.fresh('message');
    const data = { orderId: newOrderId(), lines: 'none' };
    await world.publish({ ...orderPlaced(data.orderId, [line('sku')]), id, data });
    const sku = await stocked(1);
    await becomes((await placed([line(sku)])).orderId, 'APPROVED');
    for (const consumer of [CONSUMER, 'orders-list'] as const) {
      await world.eventually(`${consumer} has a failure record`, async () =>
        expect(await world.failures(consumer, id)).toMatchObject([
          {
            messageId: `orderly.orders:${id}`,
            failures: [{ name: 'ContractViolation' }],
            subject: `Order/${data.orderId}`,
          },
        ]),
      );
    }
  });

  test('counts as a duplicate if it has the id of a processed event', async () => {
    const sku = await stocked(5);
    const { orderId } = await placed([line(sku)]);
    await world.settled(orderId);
    const [event] = await world.events({ aggregate: 'Order', id: orderId });
    await world.send(CONSUMER, queued({ ...event!, data: {} }));
    await world.eventually('the delivery is seen as a duplicate', async () =>
      expect(await world.deliveries(CONSUMER, event!.id)).toMatchObject({ duplicate: 1 }),
    );
    expect(await world.readRecord(CONSUMER, event!.id)).toMatchObject({ status: 'PROCESSED' });
    expect(await world.failures(CONSUMER, event!.id)).toEqual([]);
  });

  test('stays failed when the event comes again, well-formed', async () => {
    const sku = await stocked(5);
    const event = orderPlaced(newOrderId(), [line(sku)]);
    await world.send(CONSUMER, queued({ ...event, data: {} }));
    await failed(event.id);
    await world.send(CONSUMER, queued(event));
    await world.eventually('the second delivery is seen as known', async () =>
      expect(await world.deliveries(CONSUMER, event.id)).toMatchObject({ applied: 0, duplicate: 1 }),
    );
    expect(await world.stock(sku)).toMatchObject({ reserved: 0 });
  });

  const newer = ordersContract.events.OrderPlaced.version + 1;
  test.each<[string, Partial<Envelope>]>([
    ['schema version', { dataschema: `urn:orderly:orders:OrderPlaced:${newer}` }],
    ['type', { type: 'OrderEaten', dataschema: 'urn:orderly:orders:OrderEaten:1' }],
    ['type with a name out of the language', { type: 'constructor', dataschema: 'urn:orderly:orders:constructor:1' }],
    ['subscription', { type: 'OrderApproved', dataschema: 'urn:orderly:orders:OrderApproved:1' }],
    ['command', { to: 'orders' }],
  ])('retries a newer %s (a deployment may be under way); no other message waits', async (_, fields) => {
    const sku = await stocked(5);
    const early = orderPlaced(newOrderId(), [line(sku, 4)], fields);
    await world.send(CONSUMER, queued(early));
    await world.eventually('it was put off twice', async () =>
      expect((await world.deliveries(CONSUMER, early.id)).retried).toBeGreaterThanOrEqual(2),
    );
    const { orderId } = await placed([line(sku)]);
    await world.settled(orderId);
    expect((await get(orderId)).body.status).toBe('APPROVED');
    expect(await world.readRecord(CONSUMER, early.id)).toBeUndefined();
    expect(await world.stock(sku)).toMatchObject({ reserved: 1 });
  });

  test("a saga can't approve an order that doesn't exist, and its failure says so", async () => {
    const event = orderPlaced(newOrderId(), [line(await stocked(5))]);
    await world.send(CONSUMER, queued(event));
    await world.eventually('orders-saga has a failure record', async () => {
      const [answer] = await world.events({
        aggregate: 'Payment',
        id: event.subject.slice('Order/'.length),
        types: ['SagaReplyRequested'],
      });
      expect(await world.failures(CONSUMER, answer!.id)).toMatchObject([
        { attempts: 1, failures: [{ name: 'OrderRefused', message: 'UNKNOWN_ORDER' }] },
      ]);
    });
  });

  test('an answer about an order without a saga changes nothing, and is no failure', async () => {
    const { orderId, reserve } = stockSteps();
    const step = toInventory(reserve(line(await stocked(5))));
    await world.publish(step);
    const [answer] = await causedBy(step, 'Reservation', orderId);
    await world.eventually('orders-saga has handled it', async () =>
      expect(await world.readRecord(CONSUMER, answer!.id)).toMatchObject({ status: 'PROCESSED' }),
    );
    expect(await world.commits('CreateOrderSaga', orderId)).toEqual([]);
  });
});
