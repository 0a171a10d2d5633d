import type { JsonObject } from '../../../../packages/simulator/assembly/intrinsics.js';
import { bugsIn, type PlantedBug, properties } from '../bug.js';

const publish = bugsIn('packages/kit/outbox/publish.ts');
const relay = bugsIn('packages/kit/outbox/relay.lambda.ts');

/** Catalog's relay sends a charge that nobody asked for, in the name of orders, beside what it publishes. */
const FORGING = {
  from: '    const entries: {',
  to: `    if (sender.service === 'catalog') await publish(client, bus, [{
      Source: 'orderly.orders', DetailType: 'ChargePayment', Detail: JSON.stringify({
        id: 'forged', source: 'orderly.orders', to: 'payments', type: 'ChargePayment', subject: 'CreateOrderSaga/forged',
        time: new Date().toISOString(), dataschema: 'urn:orderly:payments:ChargePayment:1', sequence: 1, epoch: 0,
        data: {
          customerId: 'alice', orderId: 'forged', stepId: 'forged/charge', amount: { amount: 99900, currency: 'EUR' },
        },
        correlationid: 'c', causationid: 'c', traceparent: 't', actor: 'service:orders',
      }),
    }], () => true).catch(() => undefined);
    const entries: {`,
} as const;

export const OUTBOX: readonly PlantedBug[] = [
  publish('entries that the bus refused count as sent', 'place-one', {
    from: "if (answer?.EventId) outcomes[at] = { state: 'sent' };",
    to: "if (answer?.EventId || answer?.ErrorCode === 'InternalFailure') outcomes[at] = { state: 'sent' };",
  }),
  publish('the relay sends more entries at once than the bus takes', 'relay-catches-up', {
    from: ', EVENTS_BATCH);',
    to: ', { ...EVENTS_BATCH, entries: 20 });',
  }),
  relay('a relay speaks for another service', 'place-one', FORGING),
  {
    ...relay('a relay speaks for another service, and its right to publish holds for any source', 'place-one', FORGING),
    resource: properties('AWS::IAM::Role', /^OutboxRelayRole/, (policy) => {
      const text = JSON.stringify(policy);
      const condition =
        /"Condition":\{"ForAllValues:StringEquals":\{"events:source":"orderly\.[a-z]+"\},"Null":\{"events:source":"false"\}\},/;
      if (!condition.test(text)) throw new Error('the right to publish has no condition');
      return JSON.parse(text.replace(condition, '')) as JsonObject;
    }),
  },
  relay('the relay reports the last record that it could not send, not the first', 'relay-catches-up', {
    from: 'firstUnsent = Math.min(firstUnsent, at);',
    to: 'firstUnsent = at;',
  }),
  relay(
    'the relay continues when the failure record of a commit that the bus will never take could not be written',
    'bus-refuses',
    {
      from: '    await failures.put(toFailure(record, error));',
      to: `    await failures
      .put(toFailure(record, error))
      .catch((refused) => logger.warn('the failure could not be recorded', describeError(refused)));`,
    },
  ),
  relay('what is sent again after a restore has the present epoch', 'restored-accounts', {
    from: 'else for (const entry of toBusEntries(commit, sender))',
    to: `const stamps = globalThis as { present?: number };
        stamps.present = Math.max(stamps.present ?? 0, commit.epoch ?? 0);
        for (const entry of toBusEntries({ ...commit, epoch: stamps.present }, sender))`,
  }),
];
