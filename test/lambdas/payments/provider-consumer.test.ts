import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { APP } from '../../../lambdas/app.js';
import { type PaymentStore, payers, payments } from '../../../lambdas/payments/aggregates.js';
import type { PaymentEvent } from '../../../lambdas/payments/contract.js';
import { Payers } from '../../../lambdas/payments/payers.js';
import type { PaymentProvider } from '../../../lambdas/payments/provider/payment-provider.js';
import { AccountAmbiguous, ProviderRefused } from '../../../lambdas/payments/provider/payment-provider.js';
import { isRefusal, onProviderTask } from '../../../lambdas/payments/provider-consumer.js';
import { eventStoreFromEnvironment } from '../../../packages/kit/event-store/event-store-from-environment.js';
import { consumer } from '../../../packages/kit/idempotent-consumer/consumer.js';
import type { Commit } from '../../../packages/kit/messages/commit.js';
import { toBusEntries } from '../../../packages/kit/messages/envelope.js';
import { stateStoreFromEnvironment } from '../../../packages/kit/state-store/state-store-from-environment.js';
import {
  type ConsumerHandler,
  consumerEnvironment,
  deliverMessage,
  readFailures,
  readOutcome,
} from '../../support/consumed.js';
import { type Call, inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { metricLines } from '../../support/metric-lines.js';
import { buildTrace } from '../../support/tally.js';
import { eur } from './provider/provider-suite.js';

/** A refusal is asked about too: the provider refuses what it did before, under another key. */

let paymentStore: PaymentStore;
let calls: readonly Call[];
/** Consumer of a provider's tasks, without the guard. */
let consumerAt: (provider: PaymentProvider) => ConsumerHandler;

beforeAll(async () => {
  consumerEnvironment('payments', 'payments-provider');
  ({ calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }));
  paymentStore = eventStoreFromEnvironment(payments);
  consumerAt = (provider) =>
    consumer([onProviderTask({ paymentStore, payers: new Payers(stateStoreFromEnvironment(payers)), provider })], {
      isRefusal,
    });
});

const refuses = async (): Promise<never> => {
  throw new ProviderRefused('UNEXPECTED_STATE');
};
const refusing: PaymentProvider = {
  create: refuses,
  confirm: refuses,
  cancel: refuses,
  refund: refuses,
  findCharge: async () => undefined,
  findRefund: async () => undefined,
};

const paymentId = () => randomUUID().replaceAll('-', '');
const historyOf = (id: string): readonly PaymentEvent[] => [
  {
    type: 'PaymentRequested',
    data: { paymentId: id, customerId: 'bob', accountId: 'bob', amount: eur(100), requestedAt: '2026-01-01T00:00:00Z' },
  },
  { type: 'PaymentPrepared', data: { paymentId: id, providerId: 'pi_1' } },
  { type: 'PaymentCharged', data: { paymentId: id, amount: eur(100) } },
  { type: 'RefundRequested', data: { paymentId: id, refundId: 'r1', amount: eur(60) } },
];

/** Commits the first events of a payment, brings one of them to the consumer, the last by default, and tells what it committed. */
async function tells(
  events: number,
  provider: PaymentProvider,
  more: (id: string) => readonly PaymentEvent[] = () => [],
  brought = -1,
): Promise<readonly string[]> {
  const id = paymentId();
  const payment = await paymentStore.load(id);
  const history = [...historyOf(id).slice(0, events), ...more(id)];
  const commit = paymentStore.buildCommit(payment, history, buildTrace(randomUUID()));
  await paymentStore.append(commit);
  // Of its last attempt: what would be tried again is recorded as failed.
  await deliverMessage(consumerAt(provider), bodyOf(commit, brought), 8);
  const { commits } = await paymentStore.load(id);
  return commits
    .slice(1)
    .flatMap(({ events }) => events.map(({ type, data }) => `${type} ${JSON.parse(data).reason ?? ''}`.trim()));
}

function bodyOf(commit: Commit, brought: number): string {
  const { Source, DetailType, Detail } =
    toBusEntries(commit, { app: APP.name, service: 'payments' }).at(brought) ?? expect.fail();
  return JSON.stringify({ source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) });
}

const voiding = (paymentId: string): readonly PaymentEvent[] => [
  { type: 'VoidRequested', data: { paymentId, stepId: 's' } },
];

test('the provider is not asked to charge a payment that is to be undone', async () =>
  expect(await tells(2, refusing, voiding, 1)).toEqual([]));

test('an account that may be several customers is a failure record at once, and no charge is declined', async () => {
  const id = paymentId();
  const payment = await paymentStore.load(id);
  const commit = paymentStore.buildCommit(payment, historyOf(id).slice(0, 1), buildTrace(randomUUID()));
  await paymentStore.append(commit);
  const ambiguous: PaymentProvider = {
    ...refusing,
    create: async () => {
      throw new AccountAmbiguous('SEVERAL_CUSTOMERS');
    },
  };
  const body = bodyOf(commit, -1);
  await deliverMessage(consumerAt(ambiguous), body);
  expect(await readOutcome(JSON.parse(body).detail.id)).toBe('FAILED');
  expect((await paymentStore.load(id)).state.status).toBe('REQUESTED');
});

describe('refusals of the provider', () => {
  test('a payment that the provider refuses to make is declined', async () =>
    expect(await tells(1, refusing)).toEqual(['PaymentDeclined REFUSED_BY_PROVIDER']));

  test('a payment that the provider refuses to charge is declined, unless it was charged before', async () => {
    expect(await tells(2, refusing)).toEqual(['PaymentDeclined REFUSED_BY_PROVIDER']);
    const did = { ...refusing, findCharge: async () => ({ status: 'CHARGED' }) as const };
    expect(await tells(2, did)).toEqual(['PaymentCharged']);
  });

  test('a refused cancellation has the earlier outcome; without one, the outcome is unknown', async () => {
    const did = { ...refusing, findCharge: async () => ({ status: 'CHARGED' }) as const };
    expect(await tells(2, did, voiding)).toEqual(['PaymentCharged', 'RefundRequested']);
    const declined = { status: 'DECLINED', reason: 'CARD_EXPIRED' } as const;
    expect(await tells(2, { ...refusing, findCharge: async () => declined }, voiding)).toEqual([
      'PaymentDeclined VOIDED',
      'SagaReplyRequested',
    ]);
    expect(await tells(2, refusing, voiding)).toEqual([]);
  });

  test('a refused refund fails and is counted, unless the provider made it before', async () => {
    const counted = vi.spyOn(Metrics.prototype, 'addMetric');
    expect(await tells(4, refusing)).toEqual(['RefundFailed']);
    expect(counted).toHaveBeenCalledWith('RefundsFailed', MetricUnit.Count, 1);
    counted.mockClear();
    const did = { ...refusing, findRefund: async () => ({ status: 'REFUNDED' }) as const };
    expect(await tells(4, did)).toEqual(['PaymentRefunded']);
    expect(counted).not.toHaveBeenCalledWith('RefundsFailed', MetricUnit.Count, 1);
    counted.mockRestore();
  });

  test.each([
    ['make', 1, ':create'],
    ['charge', 2, ':charge'],
    ['give back', 4, ':refund:r1'],
  ])('a refusal to %s is logged with its code, which no event keeps', async (_, events, key) => {
    const warned = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await tells(events, refusing);
    expect(warned).toHaveBeenCalledWith('the provider refuses', {
      paymentId: expect.stringMatching(/^[0-9a-f]{32}$/),
      key: expect.stringMatching(new RegExp(`^[0-9a-f]{32}${key}$`)),
      code: 'UNEXPECTED_STATE',
    });
    warned.mockRestore();
  });

  test('a refusal to do something again is not logged', async () => {
    const warned = vi.spyOn(Logger.prototype, 'warn');
    await tells(2, { ...refusing, findCharge: async () => ({ status: 'CHARGED' }) });
    await tells(4, { ...refusing, findRefund: async () => ({ status: 'REFUNDED' }) });
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  test('a refused refund is logged before it is committed, since a crash would hide it', async () => {
    const before: number[] = [];
    metricLines('RefundsFailed', () => before.push(calls.length));
    await tells(4, refusing);
    expect(before).toHaveLength(1);
    expect(calls.slice(before[0]).map(({ operation }) => operation)).toContain('TransactWriteItems');
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
});

describe('a refund that the provider refused for good', () => {
  const failing = (paymentId: string, refundId = 'r1', amount = 60): readonly PaymentEvent[] =>
    (['RefundRequested', 'RefundFailed'] as const).map((type) => ({
      type,
      data: { paymentId, refundId, amount: eur(amount) },
    }));

  /** Commits a charged payment with more events, and returns the last one as its queue has it. */
  async function payment(more: (id: string) => readonly PaymentEvent[] = failing) {
    const id = paymentId();
    const history = [...historyOf(id).slice(0, 3), ...more(id)];
    const commit = paymentStore.buildCommit(await paymentStore.load(id), history, buildTrace(randomUUID()));
    await paymentStore.append(commit);
    const body = bodyOf(commit, -1);
    return { id, body, eventId: String(JSON.parse(body).detail.id) };
  }
  const toldSince = async (id: string) =>
    (await paymentStore.load(id)).commits
      .slice(1)
      .flatMap(({ events }) => events.map(({ type, data }) => `${type} ${JSON.parse(data).refundId}`));

  test('a refused refund is a failure record at the first delivery, and nothing is requested', async () => {
    const { id, body, eventId } = await payment();
    await deliverMessage(consumerAt(refusing), body);
    await deliverMessage(consumerAt(refusing), body);
    expect(await readOutcome(eventId)).toBe('FAILED');
    expect(await readFailures(eventId)).toMatchObject([{ name: 'RefundRefused', message: 'REFUSED_BY_PROVIDER' }]);
    expect(await toldSince(id)).toEqual([]);
  });

  test('a redrive requests the refund once more, however often it arrives', async () => {
    const { id, body, eventId } = await payment();
    await deliverMessage(consumerAt(refusing), body);
    for (const _ of ['sent', 'delivered twice']) await deliverMessage(consumerAt(refusing), body, 1, 'again');
    expect(await readOutcome(eventId)).toBe('PROCESSED');
    expect(await toldSince(id)).toEqual(['RefundRequested again-2']);
  });

  test('stays a failure if the customer asked again meanwhile', async () => {
    const { id, body, eventId } = await payment();
    await deliverMessage(consumerAt(refusing), body);
    const request: PaymentEvent = { type: 'RefundRequested', data: { paymentId: id, refundId: 'r2', amount: eur(1) } };
    await paymentStore.append(
      paymentStore.buildCommit(await paymentStore.load(id), [request], buildTrace(randomUUID())),
    );
    await deliverMessage(consumerAt(refusing), body, 1, 'again');
    expect(await readOutcome(eventId)).toBe('FAILED');
    expect(await readFailures(eventId)).toMatchObject([{ name: 'PaymentRefused', message: 'REFUNDED_SINCE' }, {}]);
    expect(await toldSince(id)).toEqual(['RefundRequested r2']);
  });

  test.each([
    ['its saga', 'undo', 'PROCESSED'],
    ['nobody, since its order was cancelled after its approval', 'cancelled', 'FAILED'],
  ])('the outcome of a refused refund depends on who waits for it: %s', async (_, step, outcome) => {
    const { id, body, eventId } = await payment((id) => [
      { type: 'VoidRequested', data: { paymentId: id, stepId: `${id}/${step}` } },
      ...failing(id, 'void-1', 100),
    ]);
    await deliverMessage(consumerAt(refusing), body);
    expect(await readOutcome(eventId)).toBe(outcome);
    expect(await toldSince(id)).toEqual([]);
  });
});
