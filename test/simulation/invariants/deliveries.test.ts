import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { deliveries } from './deliveries.js';

const deployment = loadSharedDeployment(prodAssembly());

const COMMAND = '01a1f83c-e44b-763d-8f3e-a17318d26ae4';

/** Creates a history in which one commit of the orders' table contains a command. */
async function commanding(to: string): Promise<Orderly> {
  const orderly = new Orderly(new Cloud(deployment, { seed: 'commands' }));
  const { cloud, services } = orderly;
  const id = '01a1f83c-e44b-763d-8f3e-a17318d26ae3';
  const at = new Date(cloud.world.now).toISOString();
  const data = { orderId: id, stepId: 'authorize', customerId: 'alice', amount: { amount: 1, currency: 'EUR' } };
  const commit = {
    pk: `Saga#${id}`,
    sk: 'COMMIT#0000000001',
    events: [{ id, type: 'SagaBegun', schemaVersion: 1, data: '{}' }],
    commands: [{ id: COMMAND, to, type: 'AuthorizeAccount', schemaVersion: 1, data: JSON.stringify(data) }],
    lastVersion: 1,
    trigger: 'test',
    actor: 'service:orders',
    correlationId: id,
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    at,
    feedPk: `${at.slice(0, 13)}#0`,
    feedSk: id,
  };
  const table = services.find(({ name }) => name === 'orders')?.table ?? '';
  cloud.dynamodb.call('PutItem', { TableName: table, Item: marshall(commit) });
  for (const stream of cloud.streams) stream.wake();
  await orderly.rest();
  return orderly;
}

/** No function writes the commit, so its writer is unknown, and the check of the writer is left out. */
const broken = (orderly: Orderly): readonly string[] =>
  deliveries(new Facts(orderly))
    .filter(({ invariant }) => invariant !== 'a relay publishes what its own service committed')
    .map(({ invariant, detail }) => `${invariant}: ${detail.split(' ')[0]}`);

test('a command that was published and carried out breaks no promise', async () => {
  const orderly = await commanding('accounts');
  expect(new Facts(orderly).published.has(COMMAND)).toBe(true);
  expect(broken(orderly)).toEqual([]);
});

test('a command that its commit was published without is reported', async () => {
  const orderly = await commanding('accounts');
  const { accepted } = orderly.cloud.events;
  const at = accepted.findIndex(({ event }) => (event.detail as { id?: string }).id === COMMAND);
  accepted.splice(at, 1);
  expect(broken(orderly)).toContain('a commit is published, or visible as failed: AuthorizeAccount');
});

test('a command that no consumer of its service has received is reported', async () => {
  expect(broken(await commanding('rewards'))).toEqual([
    'a command is carried out, or visible as failed or pending: AuthorizeAccount',
  ]);
});
