import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import type { AuditView } from '../../lambdas/operations/contract.js';
import { ChosenFaults } from '../../packages/simulator/aws/faults.js';
import { Cloud, deploymentOf } from '../../packages/simulator/cloud.js';
import { orderOf, stocked } from './scenarios/shop.js';
import { prodAssembly } from './support/assembly.js';
import { Auditor } from './support/auditor.js';
import { Orderly } from './support/orderly.js';

/** What the operator's API says of a loss, which no fault by hand can make. Services that only listen are asleep here. */

const POINT = 'Accounts/Settlements/Queue message 1';

test('a lost delivery is missing in the audit over HTTP, until the command line has sent it again', async () => {
  const faults = new ChosenFaults([{ point: POINT, kind: 'lost' }]);
  const cloud = new Cloud(deploymentOf(prodAssembly()), { seed: 'operator-api', faults, losses: true });
  const orderly = new Orderly(cloud, [], false);
  const auditor = new Auditor(orderly);
  const ask = async <Body>(path: string): Promise<Body> => {
    const { reply } = await orderly.call({ method: 'GET', path: `/operations/${path}`, as: 'operator' });
    expect(reply?.status, JSON.stringify(reply)).toBe(200);
    return reply?.body as Body;
  };
  const auditOf = async (query: string) => (await ask<z.infer<typeof AuditView>>(`audit?${query}`)).audit;
  const audited = () => auditOf('since=2h&consumer=accounts-payments');

  await stocked(orderly, { 'TEA-1': 5 });
  const { reply } = await orderly.call(orderOf('alice', 'place', ['TEA-1']));
  const orderId = String(reply.body.orderId);
  await orderly.rest();
  await cloud.world.pass(3_600_000);
  expect(faults.made).toHaveLength(1);
  const before = await audited();
  expect(before.deliveries).toMatchObject({ missing: 1, failed: 0 });
  expect(before.missing).toEqual([
    expect.objectContaining({ consumer: 'accounts-payments', service: 'payments', type: 'PaymentCharged' }),
  ]);

  const ofOrder = await auditOf(`order=${orderId}&consumer=accounts-payments`);
  expect(ofOrder.missing).toEqual(before.missing);
  expect(ofOrder.subjects).toContain(`Payment/${orderId}`);

  const writes = () =>
    cloud.tableCalls.filter(({ fn }) => fn.startsWith('Operations/')).flatMap(({ effects }) => effects.changes);
  expect(writes()).toEqual([]);
  expect((await audited()).missing).toHaveLength(1);

  await auditor.heal();
  expect((await audited()).missing).toEqual([]);
});
