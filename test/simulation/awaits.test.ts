import { beforeEach, expect, test } from 'vitest';
import { parkedPartition } from '../../packages/kit/inbox/contract.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { dueRecords } from '../../tools/local/awaits.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { readStackOutputs } from '../support/simulation/stacks.js';

/** Which rules tick while time is forwarded: the sweepers whose own owner has something to do, and no others. */

const deployment = loadSharedDeployment(prodAssembly());
const { assembly } = deployment;
const rules = assembly
  .findByType('AWS::Events::Rule')
  .filter(({ properties }) => properties.ScheduleExpression !== undefined)
  .map(({ label }) => label);

let cloud: Cloud;
beforeEach(() => {
  cloud = new Cloud(deployment, { seed: 'awaits' });
});

function store(service: string, record: Readonly<Record<'pk' | 'duePk' | 'executeAt', string>>): void {
  const Item = Object.fromEntries(Object.entries(record).map(([name, S]) => [name, { S }]));
  cloud.dynamodb.call('PutItem', { TableName: readStackOutputs(assembly)[service]?.RecordsName ?? '', Item });
}

/** Returns the rules that are awaited, and when. */
const awaited = (): Readonly<Record<string, string>> => {
  const awaits = dueRecords(cloud);
  const times = rules.flatMap((rule) => {
    const at = awaits(rule);
    return at === undefined ? [] : [[rule, new Date(at).toISOString()]];
  });
  return Object.fromEntries(times);
};

const [SOON, LATER] = ['2026-01-06T00:00:00.000Z', '2026-01-07T00:00:00.000Z'] as const;

test('no tick is awaited while nothing is due', () => {
  expect(rules).toContain('Audit/Schedule');
  expect(awaited()).toEqual({});
});

test('a parked message of a sequential inbox is awaited, too: its predecessor may have been discarded', () => {
  store('Rewards', { pk: 'one', duePk: parkedPartition('rewards-accounts#2'), executeAt: SOON });
  expect(awaited()).toEqual({ 'Rewards/AccountEventsInbox/EveryMinute': SOON });
});

test.each([
  ['Orders', 'orders-saga', 'Orders/SagaTimers/EveryMinute'],
  ['Orders', 'orders-reviews', 'Orders/JudgementsInbox/EveryMinute'],
  ['Rewards', 'rewards-accounts', 'Rewards/AccountEventsInbox/EveryMinute'],
  ['Reports', 'reports-daily', 'Reports/DaysInbox/EveryMinute'],
])('a timer in %s that is due to %s is awaited by %s only', (service, owner, rule) => {
  store(service, { pk: 'one', duePk: `${owner}#3`, executeAt: LATER });
  store(service, { pk: 'two', duePk: `${owner}#0`, executeAt: SOON });
  expect(awaited()).toEqual({ [rule]: SOON });
});
