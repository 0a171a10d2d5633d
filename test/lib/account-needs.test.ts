import { describe, expect, test } from 'vitest';
import type { Overrides } from '../../lib/settings.js';
import { checkConcurrency, checkEvents } from '../../packages/operator/before/checks.js';
import { defaultEventQuotas } from '../../packages/operator/before/event-quotas.js';
import { findRequirements } from '../../packages/operator/before/requirements.js';
import { readBudget } from '../../tools/cost/budget.js';
import type { Measure } from '../../tools/cost/counts.js';
import { findOrdersDemand } from '../../tools/operator/event-demand.js';
import { STACKS, synthesized } from '../support/environments.js';

const planned = (environment: string, overrides?: Overrides) => {
  const { resources } = synthesized(environment, overrides);
  return STACKS.flatMap((stack) => resources(stack).map(({ id, ...one }) => ({ ...one, stack, logicalId: id })));
};
const [dev, prod, small] = [planned('dev'), planned('prod'), planned('prod', { concurrency: 'small' })];
const PLACE = { region: 'eu-central-1', settings: 'lib/settings.ts' };
const source = 'default';

describe('what Orderly needs of an account', () => {
  test('prod needs reservations, the backup, a trail and the key of the payment provider', () => {
    expect(findRequirements(prod)).toMatchObject({
      reserved: expect.any(Number),
      api: { logs: true, setsRole: true },
      backsUp: true,
      onTrail: [expect.stringMatching(/^PersonalKeysPersonalDataKeyInDanger/)],
      parameters: ['/orderly/prod/stripe-secret-key'],
      subscribed: false,
    });
    const { reserved, rules } = findRequirements(prod);
    expect([reserved > 800, rules > 50]).toEqual([true, true]);
    expect(findRequirements(dev)).toMatchObject({ reserved: 0, backsUp: false, parameters: [] });
  });

  test('the rate that prod admits fits into three regions, and a finding names the rate that fits', () => {
    const demand = findOrdersDemand(prod);
    if (!demand) throw new Error('prod admits no orders');
    expect(demand.perSecond).toBe(400);
    const find = (region: string) => checkEvents(demand, defaultEventQuotas(region), { region, source });
    expect(['us-east-1', 'us-west-2', 'eu-west-1'].flatMap(find)).toEqual([]);
    expect(find('eu-central-1').map(({ advice }) => advice)).toEqual([
      expect.stringContaining('admit 180 orders a second: orders.throttle.rate: 90 in lib/settings.ts'),
      expect.stringContaining('admit 160 orders a second: orders.throttle.rate: 80 in lib/settings.ts'),
    ]);
  });

  test('the messages of an order are those that test/budget.json counts', () => {
    const { functions } = readBudget().cases.approved;
    const sumOf = (pattern: RegExp, measure: Measure): number =>
      Object.entries(functions).reduce((sum, [fn, counts]) => sum + (pattern.test(fn) ? (counts[measure] ?? 0) : 0), 0);
    // The dispatchers of inboxes send their messages themselves.
    // The budget is counted with the settings of later releases. Until then a charge is a message to accounts, whose answer is an event
    // (`settlements`), and each event of accounts is a message to the list (`exhaustedAccounts`).
    const settled = { toAccounts: 1, event: 1 };
    const toTheList = sumOf(/^Accounts\/Outbox\/Relay$/, 'busEntries') + settled.event;
    const toPoints = settled.event;
    const sentByBus =
      sumOf(/./, 'messages') - sumOf(/\/Run\w+$/, 'messages') + toTheList + settled.toAccounts + toPoints;
    expect(findOrdersDemand(prod)).toMatchObject({
      invocations: sentByBus,
      putEvents: sumOf(/\/Relay$/, 'invocations') + settled.event,
    });
  });
});

describe('a small account', () => {
  test('takes prod: nothing is reserved, and the lowest quotas of EventBridge are above what it admits', () => {
    const needs = findRequirements(small);
    expect(needs.reserved).toBe(0);
    expect(checkConcurrency(needs, { limit: 10, unreserved: 10 }, 0, PLACE)).toEqual([]);
    const demand = findOrdersDemand(small);
    expect(demand?.perSecond).toBe(1.4);
    expect(demand && checkEvents(demand, defaultEventQuotas('eu-south-1'), { region: 'eu-south-1', source })).toEqual(
      [],
    );
  });

  test('bounds the invocations of every mapping to the fewest that AWS accepts', () => {
    const mappings = small.filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping');
    const ofQueues = mappings.flatMap(({ properties }) => properties.ScalingConfig?.MaximumConcurrency ?? []);
    const ofStreams = mappings.flatMap(({ properties }) => properties.ParallelizationFactor ?? []);
    expect([new Set(ofQueues), new Set(ofStreams)]).toEqual([new Set([2]), new Set([1])]);
    expect(ofQueues.length).toBeGreaterThan(50);
    expect(ofStreams.length).toBeGreaterThan(8);
  });
});
