import { describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { approved, cancel, get, line, post, stocked } from './orders.js';
import type { FunctionCall, FunctionName } from './world.js';

const of = (fn: FunctionName, calls: readonly FunctionCall[]) => calls.filter((call) => call.fn === fn);
const shown = (calls: readonly FunctionCall[]) => calls.map(({ service, operation }) => `${service} ${operation}`);

/** Places an order and waits until it is settled, so that nothing of it is counted later. */
const posted = async (...placing: Parameters<typeof post>) => world.settled((await post(...placing)).body.orderId);

/** Reads of a list of orders: its version, and its rows. */
const list = ['DynamoDB GetItem', 'DynamoDB Query'];
/**
 * Reads before an order, side by side: how many orders its customer has placed lately, and whether they are blocked. With
 * `userStatuses: 'listed'` the query tells both.
 */
const admission = ['DynamoDB GetItem', 'DynamoDB Query'];
/** The same with personal data: whether the person is forgotten, too, beside the others. */
const admissionWithKey = ['DynamoDB GetItem', 'DynamoDB GetItem', 'DynamoDB Query'];

/** Counted, not timed: the calls that each step makes to DynamoDB, the bus and the queue. */
describe.skipIf(!world.makesFaults)(`what an order costs ${needsFaults}`, () => {
  test('an order of three lines costs a small read of its list, one of the status, one write unit and one index unit', async () => {
    const skus = [await stocked(10), await stocked(10), await stocked(10)];
    const customer = world.fresh('customer');
    const calls = await world.callsDuring(() =>
      posted(
        skus.map((sku) => line(sku)),
        { as: { customer } },
      ),
    );
    const read = { fn: 'orders/place-order', service: 'DynamoDB', failed: false, unanswered: false };
    expect(of('orders/place-order', calls)).toEqual([
      // For the customer's limits: the newest orders.
      { ...read, operation: 'Query', units: { table: 0.5, indexes: {} } },
      // Whether the customer is blocked.
      { ...read, operation: 'GetItem', units: { table: 1, indexes: {} } },
      {
        fn: 'orders/place-order',
        service: 'DynamoDB',
        operation: 'PutItem',
        units: { table: 1, indexes: { feed: 1 } },
        failed: false,
        unanswered: false,
      },
    ]);
  });

  test('a reference costs one more index unit, and a key for a customer without one; reads reuse it', async () => {
    const as = { customer: world.fresh('customer') };
    const lines = [line(await stocked(10))];
    const calls = await world.callsDuring(() => posted(lines, { as, clientReference: 'x'.repeat(64) }));
    const placing = of('orders/place-order', calls);
    const key = ['TrentService GenerateDataKey', 'DynamoDB PutItem'];
    const atOnce = admissionWithKey.length;
    expect(shown(placing).slice(0, atOnce).toSorted()).toEqual(admissionWithKey);
    expect(shown(placing).slice(atOnce)).toEqual([...key, 'DynamoDB PutItem']);
    expect(placing.at(-1)?.units).toEqual({ table: 1, indexes: { feed: 1, people: 1 } });
    // However many orders the list shows, and even for an order with a reference and a reason.
    const { body } = await post(lines, { as, clientReference: 'x' });
    await world.settled(body.orderId);
    const asking = { method: 'GET', path: '/orders', as } as const;
    const listing = of('orders/list-orders', await world.callsDuring(() => world.call(asking)));
    expect(shown(listing)).toEqual([...list, 'DynamoDB GetItem', 'TrentService Decrypt']);
    const first = () => cancel(body.orderId, { as, body: { reason: 'y'.repeat(200) } });
    const cancelling = of('orders/cancel-order', await world.callsDuring(first));
    const opened = ['DynamoDB GetItem', 'TrentService Decrypt'];
    // The answer has a look of its own.
    const look = 'DynamoDB GetItem';
    expect(shown(cancelling)).toEqual(['DynamoDB Query', ...opened, 'DynamoDB TransactWriteItems', look]);
  });

  test('an address costs one more index unit, and a key for a customer without one', async () => {
    const customer = world.fresh('customer');
    const lines = [line(await stocked(10))];
    const deliverTo = { name: 'Ada Lovelace', street: '12 Main St', city: 'London', postalCode: 'SW1Y', country: 'GB' };
    const placing = () => posted(lines, { as: { customer }, deliverTo });
    const first = of('orders/place-order', await world.callsDuring(placing));
    // The key is made while the admission still reads.
    const before = shown(first).slice(0, -2);
    expect(before.toSorted()).toEqual([...admissionWithKey, 'TrentService GenerateDataKey'].toSorted());
    expect(shown(first).slice(-2)).toEqual(['DynamoDB PutItem', 'DynamoDB PutItem']);
    expect(first.at(-1)?.units).toEqual({ table: 1, indexes: { feed: 1, people: 1 } });
    // Only the look at the person if the function still has the key in memory.
    const second = shown(of('orders/place-order', await world.callsDuring(placing)));
    expect(second.at(-1)).toBe('DynamoDB PutItem');
    const others = second.slice(0, -1).filter((call) => call !== 'TrentService Decrypt');
    expect(others.toSorted()).toEqual(admissionWithKey);
  });

  test('a duplicate makes the same calls, and its put is refused', async () => {
    const sku = await stocked(10);
    const key = world.fresh('key');
    const { body } = await post([line(sku)], { key });
    await world.settled(body.orderId);
    const calls = of('orders/place-order', await world.callsDuring(() => post([line(sku)], { key })));
    expect(shown(calls).slice(0, -1).toSorted()).toEqual(admission);
    expect(shown(calls).at(-1)).toBe('DynamoDB PutItem');
    expect(calls.at(-1)!.failed).toBe(true);
  });

  test('a saga handles five messages, each with a load and a transaction; the order first and last', async () => {
    const sku = await stocked(10);
    const calls = await world.callsDuring(() => posted([line(sku)]));
    const ofSaga = of('orders/on-saga-message', calls);
    const message = ['DynamoDB Query', 'DynamoDB TransactWriteItems'];
    const order = 'DynamoDB Query';
    // Before the charge: the order, and whether its user is suspect.
    const asked = ['DynamoDB Query', order, 'DynamoDB GetItem', 'DynamoDB TransactWriteItems'];
    // With the approval: the order, and the same once more.
    const approved = [order, 'DynamoDB Query', 'DynamoDB GetItem', 'DynamoDB TransactWriteItems'];
    expect(shown(ofSaga)).toEqual([order, ...message, ...message, ...message, ...asked, ...approved]);
    expect(of('payments/on-order-event', calls)).toEqual([]);
  });

  test('a step makes one load, the reads for its decision, one transaction, and no call of the queue', async () => {
    const sku = await stocked(10);
    // A customer of its own: two orders of one customer may collide at their account.
    const as = { customer: world.fresh('customer') };
    const calls = await world.callsDuring(() => posted([line(sku)], { as }));
    const once = ['DynamoDB Query', 'DynamoDB TransactWriteItems'];
    expect(shown(of('inventory/on-command', calls))).toEqual(once);
    expect(shown(of('payments/on-command', calls))).toEqual(once);
    expect(shown(of('catalog/on-command', calls))).toEqual(once.toSpliced(1, 0, 'DynamoDB BatchGetItem'));
    // The account, and its state for this order.
    const account = once.toSpliced(1, 0, 'DynamoDB BatchGetItem');
    expect(shown(of('accounts/on-command', calls)).toSorted()).toEqual(account.toSorted());
    // The approval and the charge may meet there: the later one takes the lane, at once or after its lost race.
    const atOnce = ['DynamoDB BatchGetItem', 'DynamoDB BatchWriteItem', 'DynamoDB GetItem', 'DynamoDB Query'];
    const ways = [account, atOnce, [...atOnce, 'DynamoDB TransactWriteItems']].map((calls) => calls.toSorted());
    const met = [of('accounts/on-order-event', calls), of('accounts/on-payment-event', calls)];
    for (const one of met) expect(ways).toContainEqual(shown(one).toSorted());
    if (world.takesTime) expect(met.some((one) => shown(one).length === account.length)).toBe(true);
  });

  test('a duplicate of a message makes the same two calls, and its transaction is refused', async () => {
    const { orderId } = await approved([line(await stocked(10))]);
    await world.settled(orderId);
    const calls = await world.callsDuring(async () => {
      const [event] = await world.redeliver({ aggregate: 'Reservation', id: orderId });
      await world.eventually('the duplicate is handled', async () =>
        expect(await world.deliveries('orders-saga', event!.id)).toMatchObject({ duplicate: 1 }),
      );
    });
    const handled = of('orders/on-saga-message', calls);
    expect(shown(handled)).toEqual(['DynamoDB Query', 'DynamoDB TransactWriteItems']);
    expect(handled[1]!.failed).toBe(true);
  });

  test('an event in its customer’s list makes a load, and a put between two reads of the pointer', async () => {
    const sku = await stocked(10);
    const calls = await world.callsDuring(() => posted([line(sku)]));
    const once = ['DynamoDB Query', 'DynamoDB GetItem', 'DynamoDB PutItem', 'DynamoDB GetItem'];
    expect(shown(of('orders/list-projection', calls)).slice(0, 4)).toEqual(once);
    expect(of('orders/list-projection', calls)).toHaveLength(8);
  });

  test('publishing a commit makes one call', async () => {
    const sku = await stocked(10);
    await posted([line(sku)]);
    const calls = await world.callsDuring(() => posted([line(sku)]));
    for (const relay of ['inventory/relay', 'catalog/relay'] as const) {
      expect(shown(of(relay, calls))).toEqual(['AWSEvents PutEvents']);
    }
    // Authorised, settled and captured; requested, prepared, charged; placed, five of the saga, approved with the last of them.
    expect(of('accounts/relay', calls)).toHaveLength(3);
    expect(of('payments/relay', calls)).toHaveLength(3);
    expect(of('orders/relay', calls).length).toBeLessThanOrEqual(7);
  });

  test('reading an order is a query of half a unit per kilobyte; cancelling is a query and a transaction', async () => {
    const { orderId } = await approved([line(await stocked(10))]);
    await world.settled(orderId);
    const reading = of('orders/get-order', await world.callsDuring(() => get(orderId)));
    expect(shown(reading)).toEqual(['DynamoDB Query']);
    expect(reading[0]!.units.table).toBeLessThanOrEqual(1);
    const cancelling = of('orders/cancel-order', await world.callsDuring(() => cancel(orderId)));
    expect(shown(cancelling)).toEqual(['DynamoDB Query', 'DynamoDB TransactWriteItems']);
  });
});
