import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AccountEvent, accountsContract } from '../../../lambdas/accounts/contract.js';
import { onAccountEvent } from '../../../lambdas/rewards/on-account-event.js';
import { loadStanding, type Rewards } from '../../../lambdas/rewards/rewards-store.js';
import { readRewards } from '../../../lambdas/rewards/rewards-view.js';
import { dynamoDbTable } from '../../../packages/kit/aws/table.js';
import { Receiver } from '../../../packages/kit/inbox/receiver.js';
import { placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import { SequentialRunner } from '../../../packages/kit/inbox/sequential-runner.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { bodyOf, SETTINGS } from '../../kit/inbox/parcels.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** The handler behind the inbox of the kit, in this process. */

const CONSUMER = { name: 'rewards-accounts', generation: 0 };
const SUBJECT = 'Account/alice';
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const step = (orderId: string) => ({ customerId: 'alice', orderId, stepId: `${orderId}/step` });
const opened: AccountEvent = { type: 'AccountOpened', data: { customerId: 'alice', creditLimit: eur(5_000_00) } };
const captured = (orderId: string): AccountEvent => ({
  type: 'AuthorizationCaptured',
  data: { ...step(orderId), amount: eur(600_00) },
});
const refunded = (orderId: string): AccountEvent => ({
  type: 'AccountRefunded',
  data: { ...step(orderId), refundId: 'r', amount: eur(600_00) },
});
const HISTORY = [opened, captured('o1'), captured('o2'), refunded('o1')];

let rewards: Rewards;
beforeAll(() => functionEnvironment());
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T00:00:00.000Z') }));
afterEach(() => void vi.useRealTimers());

/** Delivers the events of a history in an order: each is stored and run at once. @param order indexes into the history */
async function deliver(history: readonly AccountEvent[], order: readonly number[]): Promise<void> {
  const indexes = { due: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] };
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }, { records: indexes });
  rewards = { table: dynamoDbTable('table'), tiers: { silver: 1_000, gold: 5_000 } };
  const options = { table: 'records', consumer: CONSUMER, windowSeconds: 35 * 86_400 };
  const receiver = new Receiver({ ...options, app: 'app', commanders: [], mode: 'sequential' });
  const runner = new SequentialRunner({
    ...options,
    service: 'rewards',
    settings: { ...SETTINGS, mode: 'sequential', gapAlarmSeconds: 600 },
    queue: 'queue',
    isRefusal: () => false,
    sources: [onAccountEvent(rewards)],
  });
  for (const at of order) {
    const event = history[at] ?? opened;
    const sequence = at + 1;
    const message = eventMessage(accountsContract, event, { id: `event-${sequence}`, subject: SUBJECT, sequence });
    const attributes = { ApproximateReceiveCount: '1' };
    await receiver.receiveBatch({
      Records: [{ messageId: 'm', body: bodyOf(message), attributes, messageAttributes: {} }],
    } as never);
    await runner.run({ record: placeKey(CONSUMER, { subject: SUBJECT, sequence, epoch: 0 }) }, () => 60_000);
  }
}

describe('a customer’s rewards', () => {
  test('rewards are the same bytes in whatever order the events arrive, and however often', async () => {
    await deliver(HISTORY, [0, 1, 2, 3]);
    const wanted = [await loadStanding(rewards, 'alice'), await readRewards(rewards, 'alice', {})];
    expect(wanted[1]).toMatchObject({ points: 600, tier: 'SILVER' });
    const orders = fc.shuffledSubarray([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], { minLength: 12 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        await deliver(HISTORY, order);
        const found = [await loadStanding(rewards, 'alice'), await readRewards(rewards, 'alice', {})];
        expect(JSON.stringify(found)).toBe(JSON.stringify(wanted));
      }),
      { numRuns: 5 },
    );
  });

  test('differ if two events of the history swap', async () => {
    await deliver([opened, captured('o1'), refunded('o1'), captured('o2')], [0, 1, 2, 3]);
    expect(await readRewards(rewards, 'alice', {})).toMatchObject({ points: 600, tier: 'BASIC' });
  });
});
