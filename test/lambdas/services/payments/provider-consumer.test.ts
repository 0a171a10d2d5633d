import { randomUUID } from 'node:crypto';
import type { Context, SQSEvent } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Commit } from '../../../../lambdas/patterns/event-store/commit.js';
import { busEntries } from '../../../../lambdas/patterns/outbox/envelope.js';
import { Env } from '../../../../lambdas/platform/environment.js';
import type { PaymentEvent } from '../../../../lambdas/services/payments/contract.js';
import type { PaymentProvider } from '../../../../lambdas/services/payments/provider/payment-provider.js';
import { ProviderRefused } from '../../../../lambdas/services/payments/provider/payment-provider.js';
import { functionEnvironment } from '../../../support/function-environment.js';
import { inProcessDynamoDb } from '../../../support/in-process-dynamodb.js';
import { traceOf } from '../../../support/tally.js';
import { eur } from './provider/provider-suite.js';

/** What the provider refuses is asked about too: it refuses what it did before, under another key. */

let store: typeof import('../../../../lambdas/services/payments/payment-store.js');
let consumers: typeof import('../../../../lambdas/services/payments/provider-consumer.js');

beforeAll(async () => {
  functionEnvironment({
    [Env.SERVICE]: 'payments',
    [Env.CONSUMER]: 'payments-provider',
    [Env.CONSUMER_GENERATION]: '0',
    [Env.QUEUE_URL]: 'http://queue.test',
    [Env.MAX_ATTEMPTS]: '8',
  });
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  store = await import('../../../../lambdas/services/payments/payment-store.js');
  consumers = await import('../../../../lambdas/services/payments/provider-consumer.js');
});

const refuses = async (): Promise<never> => {
  throw new ProviderRefused('UNEXPECTED_STATE');
};
const refusing: PaymentProvider = {
  create: refuses,
  confirm: refuses,
  cancel: refuses,
  refund: refuses,
  chargeOf: async () => undefined,
  refundOf: async () => undefined,
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
  const payment = await store.paymentStore.load(id);
  const history = [...historyOf(id).slice(0, events), ...more(id)];
  const commit = store.paymentStore.commit(payment, history, traceOf(randomUUID()));
  await store.paymentStore.append(commit);
  const answer = await consumers.providerConsumer(provider)(delivery(commit, brought), {
    getRemainingTimeInMillis: () => 20_000,
  } as Context);
  expect(answer).toEqual({ batchItemFailures: [] });
  const { commits } = await store.paymentStore.load(id);
  return commits
    .slice(1)
    .flatMap(({ events }) => events.map(({ type, data }) => `${type} ${JSON.parse(data).reason ?? ''}`.trim()));
}

function delivery(commit: Commit, brought: number): SQSEvent {
  const { Source, DetailType, Detail } =
    busEntries(commit, { service: 'payments', epoch: 0 }).at(brought) ?? expect.fail();
  const body = JSON.stringify({ source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) });
  // Of its last attempt: what would be tried again is recorded as failed.
  const attributes = { ApproximateReceiveCount: '8' };
  return {
    Records: [{ messageId: 'm', receiptHandle: 'h', body, attributes, messageAttributes: {} }],
  } as unknown as SQSEvent;
}

const voiding = (paymentId: string): readonly PaymentEvent[] => [
  { type: 'VoidRequested', data: { paymentId, stepId: 's' } },
];

test('the provider is not asked to charge what is to be undone', async () =>
  expect(await tells(2, refusing, voiding, 1)).toEqual([]));

describe('what the provider refuses', () => {
  test('to make is declined', async () =>
    expect(await tells(1, refusing)).toEqual(['PaymentDeclined REFUSED_BY_PROVIDER']));

  test('to charge is declined, unless it did it before', async () => {
    expect(await tells(2, refusing)).toEqual(['PaymentDeclined REFUSED_BY_PROVIDER']);
    const did = { ...refusing, chargeOf: async () => ({ status: 'CHARGED' }) as const };
    expect(await tells(2, did)).toEqual(['PaymentCharged']);
  });

  test('to cancel is what it did before; where that is nothing, nobody knows', async () => {
    const did = { ...refusing, chargeOf: async () => ({ status: 'CHARGED' }) as const };
    expect(await tells(2, did, voiding)).toEqual(['PaymentCharged', 'RefundRequested']);
    const declined = { status: 'DECLINED', reason: 'CARD_EXPIRED' } as const;
    expect(await tells(2, { ...refusing, chargeOf: async () => declined }, voiding)).toEqual([
      'PaymentDeclined VOIDED',
      'SagaReplyRequested',
    ]);
    expect(await tells(2, refusing, voiding)).toEqual([]);
  });

  test('to give back fails, unless it did it before', async () => {
    expect(await tells(4, refusing)).toEqual(['RefundFailed']);
    const did = { ...refusing, refundOf: async () => ({ status: 'REFUNDED' }) as const };
    expect(await tells(4, did)).toEqual(['PaymentRefunded']);
  });
});
