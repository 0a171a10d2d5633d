import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { eur, getAccount } from './accounts.js';
import { approved, becomes, cancel, get, line, placed, post, stocked } from './orders.js';

afterEach(() => world.heal());

describe.skipIf(!world.makesFaults)(`when an answer is lost ${needsFaults}`, () => {
  test("the SDK's retry finds its own commit: a new order, not a replay", async () => {
    const sku = await stocked(10);
    await world.loseAnswer('orders/place-order', 'PutItem', { including: sku });
    const { status, headers, body } = await post([line(sku)]);
    expect(status).toBe(201);
    expect(headers).not.toHaveProperty('idempotency-replayed');
    await world.settled(body.orderId);
    expect(await world.events({ aggregate: 'Order', id: body.orderId })).toHaveLength(2);
    expect(await world.stock(sku)).toMatchObject({ reserved: 1 });
  });

  test('the caller gets an error and repeats if all answers are lost, and there is one order', async () => {
    const sku = await stocked(10);
    const key = world.fresh('key');
    await world.loseAnswer('orders/place-order', 'PutItem', { including: sku, times: 20 });
    const lost = await post([line(sku)], { key });
    expect(lost).toMatchObject({ status: 500, body: { type: 'urn:orderly:problem:internal' } });
    await world.heal();
    const repeat = await post([line(sku)], { key });
    expect(repeat).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    await world.settled(repeat.body.orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 1 });
  });

  test("a cancellation's retry is its first success, not a replay", async () => {
    const sku = await stocked(10);
    const { orderId } = await approved([line(sku)]);
    await world.loseAnswer('orders/cancel-order', 'TransactWriteItems', { including: orderId });
    const { status, headers, body } = await cancel(orderId);
    expect({ status, order: body.status, version: body.version }).toEqual({
      status: 200,
      order: 'CANCELLED',
      version: 3,
    });
    expect(headers).not.toHaveProperty('idempotency-replayed');
    await world.settled(orderId);
    expect(await world.stock(sku)).toMatchObject({ reserved: 0 });
  });

  test("a reservation's transaction has one effect", async () => {
    const sku = await stocked(10);
    await world.loseAnswer('inventory/on-command', 'TransactWriteItems', { including: sku });
    const { orderId } = await placed([line(sku, 3)]);
    await becomes(orderId, 'APPROVED');
    expect(await world.stock(sku)).toMatchObject({ reserved: 3 });
    expect(await world.commits('Reservation', orderId)).toHaveLength(1);
  });

  test("an approval's transaction has one effect", async () => {
    const sku = await stocked(10);
    await world.loseAnswer('orders/on-saga-message', 'TransactWriteItems', { including: 'OrderApproved' });
    const { orderId } = await placed([line(sku)]);
    await world.settled(orderId);
    expect((await get(orderId)).body).toMatchObject({ status: 'APPROVED', version: 2 });
    expect(await world.moved(orderId)).toMatchObject({ charges: 1, refunds: 0 });
  });

  test("the transaction with which a saga begins has one effect, and so has an account's", async () => {
    const sku = await stocked(10);
    const customer = world.fresh('customer');
    await world.loseAnswer('orders/on-saga-message', 'TransactWriteItems', { including: sku });
    await world.loseAnswer('accounts/on-command', 'TransactWriteItems', { including: customer });
    const { orderId } = await placed([line(sku)], { as: { customer } });
    await world.settled(orderId);
    expect(await world.events({ aggregate: 'CreateOrderSaga', id: orderId, types: ['SagaStarted'] })).toHaveLength(1);
    expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(0), captured: eur(350) });
  });

  test('events that are sent again after a lost answer of the bus have one effect', async () => {
    const sku = await stocked(10);
    await world.loseAnswer('orders/relay', 'PutEvents', { including: sku });
    const { orderId } = await placed([line(sku, 2)]);
    await world.settled(orderId);
    const [event] = await world.events({ aggregate: 'Order', id: orderId });
    await world.eventually('it came twice', async () =>
      expect(await world.deliveries('orders-saga', event!.id)).toMatchObject({ applied: 1, duplicate: 1 }),
    );
    expect(await world.stock(sku)).toMatchObject({ reserved: 2 });
  });

  test('a stock is set once', async () => {
    const sku = await stocked(5);
    await world.loseAnswer('inventory/set-stock', 'TransactWriteItems', { including: sku });
    const path = `/stock/${sku}`;
    const { status, body } = await world.call({ method: 'PUT', path, as: 'operator', body: { onHand: 8 } });
    expect({ status, body }).toEqual({
      status: 200,
      body: { sku, onHand: 8, reserved: 0, available: 8, version: 2 },
    });
    expect(await world.commits('StockItem', sku)).toHaveLength(2);
  });
});
