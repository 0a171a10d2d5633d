import { describe, expect, test } from 'vitest';
import { createDays } from '../../lambdas/reports/days.js';
import { settingsFor } from '../../lib/settings.js';
import { type Fault, FixedFaults } from '../../packages/simulator/engine/faults.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { SYNTHETIC_ORDER, syntheticAssembly } from '../support/simulation/assembly.js';
import { SYNTHETIC_ORDERS, SyntheticOrders } from '../support/simulation/synthetic-orders.js';
import { placed, stocked } from './scenarios/shop.js';

const deployment = loadSharedDeployment(syntheticAssembly());
const { timeZone, closeAfter } = settingsFor('prod').reports;
const { windows, closesAt } = createDays({ timeZone, closeAfterSeconds: closeAfter.toSeconds() });
const PROBE = SYNTHETIC_ORDER.customerId;
const STOCK = 1_000;

/** Begins a cloud with the product of the synthetic orders. @param price any but 0 is wrong */
async function begun(faults: readonly Fault[] = [], price = 0): Promise<SyntheticOrders> {
  const synthetic = new SyntheticOrders(deployment, { seed: 'synthetic', faults: new FixedFaults(faults) });
  await synthetic.stock(price);
  return synthetic;
}

/** Waits for the report of the first day. */
async function reportOf({ orderly }: SyntheticOrders): Promise<Record<string, unknown>> {
  const date = windows.idOf(new Date(orderly.cloud.world.now).toISOString());
  orderly.awaitDays(Date.parse(closesAt(date)));
  await orderly.rest();
  return (await orderly.call({ method: 'GET', path: `/reports/daily/${date}`, as: 'operator' })).reply.body;
}

const statuses = async (synthetic: SyntheticOrders): Promise<readonly string[]> =>
  [...(await synthetic.orders()).values()].toSorted();

test('a synthetic order is placed, approved and cancelled every five minutes, and stays out of reports, points and limits', async () => {
  const synthetic = await begun();
  const { orderly } = synthetic;
  await stocked(orderly, { 'TEA-1': 10 });
  await placed(orderly, 'alice', 'order');
  await synthetic.run(3);

  const { succeeded, failed, seconds } = synthetic.counted;
  expect([succeeded, failed, seconds.length]).toEqual([3, 0, 3]);
  expect(Math.max(...seconds)).toBeLessThan(60);
  expect(await statuses(synthetic)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
  expect(await synthetic.available()).toBe(STOCK);
  expect(synthetic.tokens, 'one token is kept for all runs').toBe(1);

  // Credit, and the list of those who have used theirs up.
  const account = await orderly.call({ method: 'GET', path: `/accounts/${PROBE}`, as: 'operator' });
  const nothing = { amount: 0, currency: 'EUR' };
  expect(account.reply.body).toMatchObject({ authorized: nothing, captured: nothing, available: { amount: 1_000_00 } });
  const exhausted = await orderly.call({ method: 'GET', path: '/accounts?creditExhausted=true', as: 'operator' });
  expect(exhausted.reply.body.items).toEqual([]);
  // Only the other order was charged, and gave points.
  const charged = synthetic.cloud.events.accepted.filter(({ event }) => event['detail-type'] === 'PaymentCharged');
  expect(charged).toHaveLength(1);
  expect(synthetic.itemsNaming('rewards', PROBE)).toEqual([]);
  expect(synthetic.itemsNaming('rewards', 'alice').length).toBeGreaterThan(0);

  const report = await reportOf(synthetic);
  expect(report.orders).toMatchObject({ placed: 1, approved: 1, rejected: 0, cancelledAfterApproval: 0 });
  expect(report).toMatchObject({ events: 3, topSkus: [{ sku: 'TEA-1', quantity: 1 }] });
});

test('a synthetic order that is rejected counts as failed, and stays out of the report', async () => {
  const synthetic = await begun([], 350);
  await synthetic.run(1);
  const { succeeded, failed } = synthetic.counted;
  expect([succeeded, failed]).toEqual([0, 1]);
  expect(synthetic.lines).toContainEqual(
    expect.objectContaining({ message: 'synthetic order failed', text: 'the order is REJECTED: PRICE_CHANGED' }),
  );
  expect(await statuses(synthetic)).toEqual(['REJECTED']);
  // Somebody else's order, so that the day has a report.
  await stocked(synthetic.orderly, { 'TEA-1': 10 });
  await placed(synthetic.orderly, 'alice', 'order');
  const report = await reportOf(synthetic);
  expect(report.orders).toMatchObject({ placed: 1, approved: 1, rejected: 0 });
});

test('nobody can reach the API: no run succeeds, which is the page, until the API is there again', async () => {
  const synthetic = await begun();
  synthetic.isApiDown = true;
  await synthetic.run(3);
  expect(synthetic.counted).toEqual({ succeeded: 0, failed: 3, seconds: [] });
  synthetic.isApiDown = false;
  await synthetic.run(1);
  expect(synthetic.counted).toMatchObject({ succeeded: 1, failed: 3 });
  expect(synthetic.tokens, 'a run that fails keeps no token').toBe(4);
});

describe('a synthetic order is in the way of nobody', async () => {
  const first = await begun();
  await first.run(1);
  const calls = first.cloud.world.trace.lines.flatMap((line) => {
    const [, point, request] = /(Api\/Api\/SyntheticOrders\/Place call \d+) (\S+ \S+)/.exec(line) ?? [];
    return point && request ? [{ point, request: request.replace(/ \S+\/v1/, ' ').replace(/[0-9a-f]{32}/, 'id') }] : [];
  });
  const find = (request: string): string => calls.find((call) => call.request === request)?.point ?? request;
  const PLACE = find('POST /orders');
  const LOOK = find('GET /orders/id');
  const CANCEL = find('POST /orders/id/cancellation');

  test.each<[string, Fault]>([
    ['dies before its order arrives', { point: PLACE, kind: 'killed-before' }],
    ['dies when its order is placed', { point: PLACE, kind: 'killed-after' }],
    ['gets no answer to its order', { point: PLACE, kind: 'answer-lost' }],
    ['dies while it follows its order', { point: LOOK, kind: 'killed-before' }],
    ['hangs while it follows its order', { point: LOOK, kind: 'hung-before' }],
    ['dies before its cancellation arrives', { point: CANCEL, kind: 'killed-before' }],
    ['dies when its order is cancelled', { point: CANCEL, kind: 'killed-after' }],
    ['gets no answer to its cancellation', { point: CANCEL, kind: 'answer-lost' }],
    ['never ends', { point: CANCEL, kind: 'hung-after' }],
  ])('a run that %s leaves nothing once the next one has ended', async (_, fault) => {
    const synthetic = await begun([fault]);
    await synthetic.run(2);
    expect(synthetic.cloud.faults.injected).toEqual([fault]);
    const left = await statuses(synthetic);
    expect(left).toEqual(left.map(() => 'CANCELLED'));
    expect(left.length).toBeGreaterThanOrEqual(1);
    expect(await synthetic.available()).toBe(STOCK);
    expect(synthetic.counted).toMatchObject({ failed: 0 });
    expect(synthetic.counted.succeeded).toBeGreaterThanOrEqual(1);
  });

  test('a tick that comes twice places one order', async () => {
    const [tick] = first.cloud.faults.points.filter(({ id }) => id.startsWith(`${SYNTHETIC_ORDERS}/Schedule delivery`));
    const fault: Fault = { point: tick?.id ?? '', kind: 'delivered-twice' };
    const synthetic = await begun([fault]);
    await synthetic.run(1);
    expect(synthetic.cloud.faults.injected).toEqual([fault]);
    expect(await statuses(synthetic)).toEqual(['CANCELLED']);
    expect(synthetic.counted).toMatchObject({ failed: 0 });
    expect(await synthetic.available()).toBe(STOCK);
  });
});
