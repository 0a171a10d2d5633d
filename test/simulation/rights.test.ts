import { describe, expect, test } from 'vitest';
import { accountsContract } from '../../lambdas/accounts/contract.js';
import { basketsContract } from '../../lambdas/baskets/contract.js';
import { catalogContract } from '../../lambdas/catalog/contract.js';
import { inventoryContract } from '../../lambdas/inventory/contract.js';
import { ordersContract } from '../../lambdas/orders/contract.js';
import { paymentsContract } from '../../lambdas/payments/contract.js';
import { reportsContract } from '../../lambdas/reports/contract.js';
import { rewardsContract } from '../../lambdas/rewards/contract.js';
import type { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { playWithFaults } from '../../packages/simulator/search/scenario.js';
import { requiredAccess } from '../../packages/simulator/services/events/put-events.js';
import { type Access, Iam } from '../../packages/simulator/services/iam/model.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { BUGS } from './planted/bugs.js';
import { planted } from './planted/plant.js';
import { scenarioCalled } from './scenarios/all.js';

/** Tests of what the deployed roles may do, and of what none of them may. */

const folder = prodAssembly();
const { assembly } = loadSharedDeployment(folder);
const iam = new Iam(assembly);
const [bus] = assembly.findByType('AWS::Events::EventBus');
const EventBusName = bus?.ref ?? '';
const roles = assembly.findByType('AWS::Lambda::Function').map(({ label, properties }) => ({
  fn: label.replace(/\/Function$/, ''),
  role: String(properties.Role),
}));
const allowed = (access: Access): readonly string[] =>
  roles.filter(({ role }) => iam.roleAllows(role, access) && !iam.resourceDenies(access)).map(({ fn }) => fn);

describe('the bus', () => {
  const services = [
    ordersContract,
    inventoryContract,
    accountsContract,
    paymentsContract,
    catalogContract,
    basketsContract,
    rewardsContract,
    reportsContract,
  ];

  test.each(services.map(({ service }) => service))('accepts events of %s from its own relay only', (service) => {
    const [relay] = allowed(
      requiredAccess({ EventBusName, Source: `orderly.${service}`, DetailType: 'ChargePayment' }),
    );
    expect(relay?.toLowerCase()).toBe(`${service}/outbox/relay`);
    expect(allowed(requiredAccess({ EventBusName, Source: `orderly.${service}` }))).toHaveLength(1);
  });

  test("accepts no other source than Orderly's services, whatever the sender's rights, and no missing source", () => {
    for (const Source of ['orderly.shipping', 'orderly', 'aws.s3', 'shop', undefined]) {
      expect(allowed(requiredAccess({ EventBusName, ...(Source !== undefined && { Source }) }))).toEqual([]);
    }
    const denied = (Source: string) => iam.resourceDenies(requiredAccess({ EventBusName, Source }));
    expect(['aws.s3', 'shop', 'orderly', 'Orderly.orders'].filter((source) => !denied(source))).toEqual([]);
    expect(denied('orderly.shipping')).toBe(false);
  });

  test('denies a replay nothing, with or without a source in the request', () => {
    const { context: _, ...unnamed } = requiredAccess({ EventBusName });
    expect(iam.resourceDenies(unnamed)).toBe(false);
    for (const { service } of services) {
      expect(iam.resourceDenies(requiredAccess({ EventBusName, Source: `orderly.${service}` }))).toBe(false);
    }
  });
});

/** Functions of the delivery audit and of operators. */
const READERS = [
  'Audit/Auditor',
  'Operations/GetStatus',
  'Operations/GetFailures',
  'Operations/GetAudit',
  'Operations/GetTrace',
];

describe('tables', () => {
  const ACTIONS = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

  test('accept only requests that name their keys, and scans by rebuilders', () => {
    const tables = assembly.findByType('AWS::DynamoDB::GlobalTable').map(({ arn }) => arn);
    expect(tables).toHaveLength(22);
    for (const resource of tables) {
      for (const action of ACTIONS) {
        const callers = allowed({ action: `dynamodb:${action}`, resource });
        // These read what every service has committed, and every record.
        expect(callers.filter((caller) => action !== 'BatchGetItem' || !READERS.includes(caller))).toEqual([]);
      }
    }
    // Nobody but these reads records and commits, and nobody reads people's keys without naming one.
    const [keys] = assembly
      .findByType('AWS::DynamoDB::GlobalTable')
      .filter(({ label }) => label.includes('PersonalKeys'));
    expect(allowed({ action: 'dynamodb:BatchGetItem', resource: keys!.arn })).toEqual([]);
    const scanning = tables.flatMap((resource) => allowed({ action: 'dynamodb:Scan', resource }));
    expect(scanning).toEqual(['Orders/RebuildListProjection', 'Accounts/RebuildExhaustedProjection']);
  });
});

describe("catalog's relay, forging a charge in the name of orders", () => {
  const [bug, ...others] = BUGS.filter(({ name }) => name === 'a relay speaks for another service');

  test('the relay is refused, and nothing is charged', async () => {
    if (!bug || others.length > 0) throw new Error('the bug has another name by now');
    const { cloud, trace } = await playWithFaults(await planted(folder, bug), scenarioCalled('place-one'), 'singles');
    expect(trace.some((line) => /Catalog\/Outbox\/Relay DENIED events:PutEvents .*orderly\.orders/.test(line))).toBe(
      true,
    );
    expect(forged(cloud)).toEqual([]);
  });

  test('the relay would charge a payment without an order if it might publish for any source', async () => {
    const [open] = BUGS.filter(({ name }) => name.startsWith('a relay speaks for another service, and'));
    if (!open) throw new Error('the bug has another name by now');
    const history = await playWithFaults(await planted(folder, open), scenarioCalled('place-one'), 'singles');
    expect(forged(history.cloud)).not.toEqual([]);
    expect(history.violations).not.toEqual([]);
    expect(history.violations.map(({ invariant }) => invariant)).not.toContain('no permission is missing');
  });
});

/** Returns the events of the payment that nobody asked for. */
const forged = ({ events }: Cloud): readonly string[] =>
  events.accepted.flatMap(({ event }) =>
    (event.detail as { subject?: string }).subject === 'Payment/forged' ? [event['detail-type']] : [],
  );
