import { afterEach, describe, expect, test } from 'vitest';
import type { InventoryCommand } from '../../lambdas/inventory/contract.js';
import { needsFaults, world } from '../support/world.js';
import { causedBy, orderCancelled, queued, toInventory } from './messages.js';
import { line, stocked } from './orders.js';
import { stockSteps } from './stock.js';

const CONSUMER = 'inventory-commands';

/** Sends a step and waits for its answer. */
async function answered(command: InventoryCommand) {
  const message = toInventory(command);
  await world.publish(message);
  const [answer, ...others] = await causedBy(message, 'Reservation', command.data.orderId);
  expect(others).toEqual([]);
  expect(answer?.data).toMatchObject({ orderId: command.data.orderId, stepId: command.data.stepId });
  return answer;
}

const recorded = (consumer: 'reservations' | 'inventory-commands', id: string) =>
  world.eventually(`${id} is recorded`, async () => {
    const record = await world.readRecord(consumer, id);
    expect(record).toBeDefined();
    return record;
  });

const DONE = { type: 'SagaReplyRequested', data: { outcome: 'DONE' } };
const refused = (reason: string) => ({ type: 'SagaReplyRequested', data: { outcome: 'REFUSED', reason } });

describe('when a saga reserves stock', () => {
  afterEach(() => world.heal());

  test('reserves all lines, and answers each retry so', async () => {
    const [tea, cup] = [await stocked(10), await stocked(10)];
    const { reserve } = stockSteps();
    const step = reserve(line(tea, 3), line(cup, 1));
    expect(await answered(step)).toMatchObject({ type: 'StockReserved' });
    expect(await answered(step)).toMatchObject(DONE);
    expect(await world.stock(tea)).toMatchObject({ reserved: 3, available: 7 });
    expect(await world.stock(cup)).toMatchObject({ reserved: 1, available: 9 });
  });

  test('reserves no line if one is short, and keeps that answer when there is more stock', async () => {
    const [tea, cup] = [await stocked(10), await stocked(0)];
    const { reserve, release } = stockSteps();
    const step = reserve(line(tea, 3), line(cup, 1));
    expect(await answered(step)).toMatchObject({ type: 'StockRejected', data: { skus: [cup] } });
    await world.call({ method: 'PUT', path: `/stock/${cup}`, as: 'operator', body: { onHand: 5 } });
    expect(await answered(step)).toMatchObject(refused('OUT_OF_STOCK'));
    expect((await answered(step))?.data).toMatchObject({ skus: [cup] });
    expect(await answered(release)).toMatchObject(DONE);
    expect(await world.stock(tea)).toMatchObject({ reserved: 0 });
  });

  test('a release returns all stock once, and later steps are refused', async () => {
    const sku = await stocked(10);
    const { reserve, release } = stockSteps();
    await answered(reserve(line(sku, 3)));
    expect(await answered(release)).toMatchObject({ type: 'StockReleased' });
    expect(await answered(release)).toMatchObject(DONE);
    expect(await answered(reserve(line(sku, 3)))).toMatchObject(refused('RELEASED'));
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
  });

  test('a release that comes first refuses the late reservation', async () => {
    const sku = await stocked(10);
    const { reserve, release } = stockSteps();
    expect(await answered(release)).toMatchObject({ type: 'ReservationVoided' });
    expect(await answered(reserve(line(sku, 3)))).toMatchObject(refused('RELEASED'));
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
  });

  test("releases the reserved stock once if the order's own cancellation comes too", async () => {
    const sku = await stocked(10);
    const { orderId, reserve, release } = stockSteps();
    const cancelled = orderCancelled(orderId);
    await answered(reserve(line(sku, 3)));
    await world.publish(cancelled);
    await recorded('reservations', cancelled.id);
    expect(await answered(release)).toMatchObject(DONE);
    expect(await answered(reserve(line(sku, 3)))).toMatchObject(refused('RELEASED'));
    expect(await world.stock(sku)).toMatchObject({ reserved: 0, available: 10 });
  });

  test('a cancellation that the saga compensates releases nothing by itself', async () => {
    const sku = await stocked(10);
    const { orderId, reserve, release } = stockSteps();
    const cancelled = orderCancelled(orderId, { underWay: true });
    await answered(reserve(line(sku, 3)));
    await world.publish(cancelled);
    await recorded('reservations', cancelled.id);
    expect(await world.stock(sku)).toMatchObject({ reserved: 3 });
    expect(await answered(release)).toMatchObject({ type: 'StockReleased' });
  });

  test('five concurrent deliveries of one message, and its retries, reserve once', async () => {
    const sku = await stocked(10);
    const { reserve } = stockSteps();
    const [message, ...retries] = [1, 2, 3].map(() => toInventory(reserve(line(sku, 3))));
    await world.send(CONSUMER, ...Array.from({ length: 5 }, () => queued(message!)), ...retries.map(queued));
    for (const { id } of [message!, ...retries]) await recorded(CONSUMER, id);
    expect(await world.stock(sku)).toMatchObject({ reserved: 3, available: 7 });
  });

  test('a step with other lines than before becomes a failure that an operator sees', async () => {
    const sku = await stocked(10);
    const { orderId, reserve } = stockSteps();
    await answered(reserve(line(sku, 3)));
    const other = toInventory(stockSteps(orderId).reserve(line(sku, 4)));
    await world.publish(other);
    expect((await recorded(CONSUMER, other.id))?.status).toBe('FAILED');
    // At once, since a retry changes nothing.
    await world.eventually('it is in the list of failures', async () =>
      expect(await world.failures(CONSUMER, other.id)).toMatchObject([
        { attempts: 1, failures: [{ name: 'ReservationRefused', message: 'LINES_DIFFER' }] },
      ]),
    );
    expect(await world.stock(sku)).toMatchObject({ reserved: 3 });
  });

  test.skipIf(!world.makesFaults)(
    `a crash between the write and its acknowledgement reserves once ${needsFaults}`,
    async () => {
      const sku = await stocked(10);
      const message = toInventory(stockSteps().reserve(line(sku, 3)));
      await world.crash('inventory/on-command', 'afterWrite', { including: message.id });
      await world.publish(message);
      await world.faultsMet();
      await world.eventually('it was delivered again', async () => {
        expect(await world.deliveries(CONSUMER, message.id)).toMatchObject({ applied: 0, duplicate: 1 });
      });
      expect(await world.stock(sku)).toMatchObject({ reserved: 3, available: 7 });
    },
  );
});
