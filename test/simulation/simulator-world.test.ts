import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EventLoop } from '../../packages/simulator/engine/event-loop.js';
import type { World as Port } from '../acceptance/world.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { SimulatorWorld } from '../support/simulator-world.js';
import { listRoutes } from '../support/template-routes.js';
import { VirtualTime } from '../support/virtual-time.js';

/** Tests of what scenarios rely on when they run in the simulator. The scenarios themselves show the rest. */

const line = (sku: string) => ({ sku, quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } });

const placing = (world: Port, sku: string, key = world.fresh('key')) =>
  world.call<{ orderId: string }>({ method: 'POST', path: '/orders', as: 'alice', key, body: { lines: [line(sku)] } });

/** A SKU with a price and three pieces. */
async function onSale(world: Port): Promise<string> {
  const sku = world.fresh('sku');
  const product = { name: 'Tea', unitPrice: line(sku).unitPrice };
  await world.call({ method: 'PUT', path: `/products/${sku}`, as: 'operator', body: product });
  await world.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand: 3 } });
  return sku;
}

/** Four orders at once for three pieces. */
async function history(seed: string) {
  const world = new SimulatorWorld(seed);
  const sku = await onSale(world);
  const calls = await world.callsDuring(async () => {
    const orders = await Promise.all(Array.from({ length: 4 }, () => placing(world, sku)));
    for (const { body } of orders) await world.settled(body.orderId);
    return orders;
  });
  return { calls, stock: await world.stock(sku), ends: world.time() };
}

describe('a history in the simulator', () => {
  test('plays one history per seed, even with concurrent requests, and another one with another seed', async () => {
    const [first, again, other] = [await history('1'), await history('1'), await history('2')];
    expect(again).toEqual(first);
    expect(other.calls).not.toEqual(first.calls);
    for (const { stock } of [first, other]) expect(stock).toMatchObject({ onHand: 3, reserved: 3, available: 0 });
  });

  // The emulator counts a transaction's units otherwise than AWS.
  test("an order's saga writes 38 units, including its indexes", async () => {
    const world = new SimulatorWorld('1');
    const sku = await onSale(world);
    const calls = await world.callsDuring(async () => world.settled((await placing(world, sku)).body.orderId));
    const ofSaga = calls.filter(({ fn, operation }) => fn === 'orders/on-saga-message' && /Write/.test(operation));
    const units = ofSaga.map(({ units: { table, indexes } }) => table + (indexes.feed ?? 0) + (indexes.due ?? 0));
    expect(units.reduce((sum, one) => sum + one)).toBe(38);
  });

  test("reads the same routes from the API's model and from its template, as in an emulator", async () => {
    const folder = prodAssembly();
    const template = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) =>
      /Api\w*\.template\.json$/.test(file),
    );
    const routes = listRoutes(JSON.parse(readFileSync(join(folder, String(template)), 'utf8')));
    expect(routes).toContain('POST /orders/{orderId}/cancellation');
    expect(await new SimulatorWorld('1').routes()).toEqual(routes);
  });

  test('finds what was in a queue even afterwards, as it would find personal data', async () => {
    const world = new SimulatorWorld('1');
    const [text, other] = [world.fresh('text'), world.fresh('other')];
    await world.send('reservations', `no JSON, but ${text}`);
    await world.eventually('it is a failure record', async () => {
      expect(await world.failures('reservations', text)).toHaveLength(1);
    });
    expect(await world.findCopies(text)).toContainEqual('queue Inventory/Reservations/Queue');
    expect(await world.findCopies(other)).toEqual([]);
  });

  test('a function does not crash after a refused write, only after a successful one', async () => {
    const world = new SimulatorWorld('1');
    const [sku, key] = [world.fresh('sku'), world.fresh('key')];
    await placing(world, sku, key);
    await world.crash('orders/place-order', 'afterWrite', { including: sku });
    expect((await placing(world, sku, key)).status).toBe(201);
    expect((await placing(world, sku)).status).toBe(500);
    await world.heal();
  });

  test('fails the scenario when it heals a fault that never happened', async () => {
    const world = new SimulatorWorld('1');
    await world.crash('orders/place-order', 'afterWrite', { including: 'no such order' });
    await expect(world.heal()).rejects.toThrow(/never happened, so nothing was shown: .*no such order/);
    await world.heal();
  });

  test('ends an endless wait in virtual time, with what was missing, the seed and the end of the trace', async () => {
    const world = new SimulatorWorld('1');
    await placing(world, 'sku');
    const before = Date.parse(world.time());
    const never = world.eventually('the impossible', async () => {
      throw new Error('not yet');
    });
    await expect(never).rejects.toThrow(/not within 30 minutes: the impossible; last seen: not yet\nseed 1, .*\n.+/s);
    expect(Date.parse(world.time()) - before).toBeGreaterThanOrEqual(30 * 60_000);
  });
});

describe('virtual time', () => {
  test('passes for all waits in order, and a resumed wait continues before time passes on', async () => {
    const world = new EventLoop({ seed: '1' });
    const time = new VirtualTime(world);
    const told: string[] = [];
    const waits = (delay: number, what: string) =>
      time
        .wait<void>((done) => world.after(delay, () => done()))
        .then(() => told.push(`${what} at ${world.now % 1000}`));
    await Promise.all([waits(30, 'last'), waits(10, 'first').then(() => waits(10, 'next'))]);
    expect(told).toEqual(['first at 10', 'next at 20', 'last at 30']);
  });

  test('stops while nothing waits', async () => {
    const world = new EventLoop({ seed: '1' });
    const time = new VirtualTime(world);
    const begun = world.now;
    let happened = false;
    world.after(20, () => {
      happened = true;
    });
    await time.wait<void>((done) => world.after(10, () => done()));
    await new Promise((resolve) => setImmediate(resolve));
    expect({ passed: world.now - begun, happened }).toEqual({ passed: 10, happened: false });
  });

  test('fails all waits with the error that ended the world', async () => {
    const world = new EventLoop({ seed: '1' });
    const time = new VirtualTime(world);
    world.after(5, () => {
      throw new Error('not modelled');
    });
    const waits = [20, 30].map((delay) => time.wait<void>((done) => world.after(delay, () => done())));
    for (const { reason } of (await Promise.allSettled(waits)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ message: 'not modelled' });
    }
  });
});
