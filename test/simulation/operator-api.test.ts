import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import type { AuditView } from '../../lambdas/operations/contract.js';
import { smallestIdAt } from '../../packages/kit/aws/ids.js';
import type { Commit } from '../../packages/kit/messages/commit.js';
import { partitionOf } from '../../packages/operator/records/feed.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { FixedFaults } from '../../packages/simulator/engine/faults.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { Auditor } from '../support/simulation/auditor.js';
import { createDocumentClient } from '../support/simulation/operator.js';
import { Orderly } from '../support/simulation/orderly.js';
import { orderOf, stocked } from './scenarios/shop.js';

/** Tests of the operator's API with a loss and a double effect, which no fault by hand can make. Services that only listen are asleep here. */

const POINT = 'Accounts/Settlements/Queue message 1';

test('a lost delivery is missing in the audit over HTTP, until the command line has sent it again', async () => {
  const faults = new FixedFaults([{ point: POINT, kind: 'lost' }]);
  const cloud = new Cloud(loadSharedDeployment(prodAssembly()), { seed: 'operator-api', faults, losses: true });
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
  expect(faults.injected).toHaveLength(1);
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

test('an effect that an order has twice is in the audit of its time over HTTP, however long ago the order was placed', async () => {
  const cloud = new Cloud(loadSharedDeployment(prodAssembly()), { seed: 'operator-twice' });
  const orderly = new Orderly(cloud, [], false);
  const documents = createDocumentClient(cloud);
  const audited = async (query: string) => {
    const { reply } = await orderly.call({ method: 'GET', path: `/operations/audit?${query}`, as: 'operator' });
    expect(reply.status, JSON.stringify(reply)).toBe(200);
    return (reply.body as z.infer<typeof AuditView>).audit.twice;
  };

  await stocked(orderly, { 'TEA-1': 5 });
  const place = async (key: string) =>
    String((await orderly.call(orderOf('alice', key, ['TEA-1']))).reply.body.orderId);
  const [one, other] = [await place('one'), await place('other')];
  await orderly.rest();
  // The index of commits is behind its table, by seconds now and then.
  await cloud.world.pass(60_000);
  expect(await audited('since=1h')).toEqual({ checked: 2, left: 0, found: [] });

  await cloud.world.pass(7_200_000);
  expect(await audited('since=1h')).toEqual({ checked: 0, left: 0, found: [] });
  /** Puts a commit again, as if its guards had let it through once more. */
  const again = async (serviceName: string, pk: string, orderId: string) => {
    const table = orderly.services.find(({ name }) => name === serviceName)?.table ?? serviceName;
    const commits = cloud.listItems(table).filter((item) => item.pk === pk && 'feedSk' in item) as unknown as Commit[];
    const commit = commits.find(({ events }) => events.some(({ data }) => data.includes(orderId)));
    const at = new Date(cloud.world.now).toISOString();
    const lastVersion = (commits.at(-1)?.lastVersion ?? 0) + 1;
    const place = {
      feedPk: partitionOf(Math.floor(cloud.world.now / 3_600_000) * 3_600_000, 0),
      feedSk: smallestIdAt(Date.parse(at)),
    };
    const sk = `COMMIT#${String(lastVersion).padStart(10, '0')}`;
    const Item = { ...commit, sk, lastVersion, at, trigger: `again-${serviceName}`, ...place };
    await documents.send(new PutCommand({ TableName: table, Item }));
  };
  await again('inventory', `Reservation#${one}`, one);
  await again('accounts', 'Account#alice', other);
  await cloud.world.pass(60_000);
  const twice = await audited('since=1h');
  expect(twice).toMatchObject({ checked: 2, left: 0 });
  expect(new Map(twice?.found.map(({ id, effects }) => [id, effects]))).toEqual(
    new Map([
      [one, [{ subject: `Reservation/${one}`, type: 'StockReserved', versions: [1, 2] }]],
      [other, [{ subject: `Account of ${other}`, type: 'AccountAuthorized', versions: expect.any(Array) }]],
    ]),
  );
  expect(twice?.found.map(({ next }) => next)).toContain(`npm run -s orderly -- order ${one}`);
  expect(await audited(`order=${other}`)).toMatchObject({ checked: 1, found: [{ id: other }] });
});
