import { expect, test } from 'vitest';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import type { Fault } from '../../packages/simulator/engine/faults.js';
import { FixedFaults } from '../../packages/simulator/engine/faults.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { Auditor } from '../support/simulation/auditor.js';
import { Orderly } from '../support/simulation/orderly.js';
import { commandOf } from './cli/replay.js';
import { brokenPromises } from './invariants/broken-promises.js';
import { scenarioCalled } from './scenarios/all.js';
import { bringLate } from './scenarios/place-one.js';
import { HOUR, orderOf, stocked } from './scenarios/shop.js';

const deployment = loadSharedDeployment(prodAssembly());

test.each([
  ['ChargePayment', 'Payments/Commands/Queue message 1', 'payments-commands'],
  ['PricesConfirmed', 'Orders/Saga/Queue message 2', 'orders-saga'],
])('an audit of an order finds a lost message of its saga or of a participant: %s', async (type, point, consumer) => {
  const faults = new FixedFaults([{ point, kind: 'lost' }]);
  const orderly = new Orderly(new Cloud(deployment, { seed: 'audit', faults, losses: true }), [], false);
  const auditor = new Auditor(orderly);
  await stocked(orderly, { 'TEA-1': 5 });
  const { reply } = await orderly.call(orderOf('alice', 'place', ['TEA-1']));
  await orderly.rest();
  await orderly.cloud.world.pass(1_800_000);
  expect(faults.injected).toHaveLength(1);
  const orderId = String(reply.body.orderId);
  expect(await auditor.auditAs('audit', '--subject', `Order/${orderId}`)).toMatchObject({ missing: [] });
  const { missing } = await auditor.auditAs('audit', '--order', orderId);
  expect(missing).toEqual([expect.objectContaining({ consumer, type })]);
});

test('a message that waits in its queue for hours is pending, and not sent again', async () => {
  const cloud = new Cloud(deployment, { seed: 'audit', faults: new FixedFaults([]), losses: true });
  const orderly = new Orderly(cloud);
  await stocked(orderly, { 'TEA-1': 5, 'CUP-1': 5 });
  await bringLate(orderly, 'Baskets/OnProducts', 3 * HOUR);
  const resent = orderly.services
    .flatMap(({ table }) => orderly.itemsOf(table))
    .filter(({ action }) => action === 'resend');
  expect(resent).toEqual([]);
  expect(brokenPromises(orderly)).toEqual([]);
});

test('a request that waits in its lane, whose writer is down, is pending and not sent again', async () => {
  const cloud = new Cloud(deployment, { seed: 'audit', faults: new FixedFaults([]), losses: true });
  const orderly = new Orderly(cloud);
  const auditor = new Auditor(orderly);
  await stocked(orderly, { 'HOT-1': 3 });
  await orderly.rest();
  cloud.fn('Inventory/CommandsLane/Writer').failsUntil = cloud.world.now + HOUR;
  orderly.begin(orderOf('alice', 'place', ['HOT-1']));
  await cloud.world.pass(HOUR / 2);
  expect(await auditor.audit()).toMatchObject({ missing: [], deliveries: { pending: expect.any(Number) } });
  await orderly.rest();
  const resent = orderly.services
    .flatMap(({ table }) => orderly.itemsOf(table))
    .filter(({ action }) => action === 'resend');
  expect(resent).toEqual([]);
  // The stream tries again for seconds only, so the request becomes a failure record, as meant.
  expect(brokenPromises(orderly, () => true)).toEqual([]);
});

test.each<[Fault['point'], object]>([
  ['Accounts/Settlements/Queue message 1', { consumer: 'accounts-payments', type: 'PaymentCharged' }],
  ['Orders/ListProjection/OrdersEvents delivery 18', { consumer: 'orders-list', type: 'OrderApproved' }],
])('a loss is found by the audit, and healed by sending again: %s', async (point, missing) => {
  const faults = new FixedFaults([{ point, kind: 'lost' }]);
  const orderly = new Orderly(new Cloud(deployment, { seed: 'audit', faults, losses: true }), [], false);
  const auditor = new Auditor(orderly);
  await stocked(orderly, { 'TEA-1': 5 });
  const place = orderOf('alice', 'place', ['TEA-1']);
  await orderly.call(place);
  await orderly.rest();
  await orderly.cloud.world.pass(3_600_000);
  expect(faults.injected).toHaveLength(1);
  expect((await auditor.audit()).missing).toEqual([expect.objectContaining(missing)]);
  await auditor.heal();
  expect((await auditor.audit()).missing).toEqual([]);
  expect(brokenPromises(orderly)).toEqual([]);
});

test('an order keeps every promise while messages are lost, and only the audit looks', async () => {
  const lost: Fault = { point: 'Payments/Commands/Queue message 1', kind: 'lost' };
  const history = await playWithFaults(deployment, scenarioCalled('place-one:losses'), 'singles', [lost]);
  expect(history.faults).toEqual([lost]);
  if (history.violations.length > 0) expect.fail(renderReport(history, commandOf(history, 'singles')));
});
