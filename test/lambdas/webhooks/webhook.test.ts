import { expect, test } from 'vitest';
import type { WebhookEvent } from '../../../lambdas/webhooks/contract.js';
import { findLive, selectSecrets, toStored, webhookDecider } from '../../../lambdas/webhooks/domain/webhook.js';
import { given } from '../../../packages/kit/testing/given.js';

const NOW = '2026-11-29T12:00:00.000Z';
const TOMORROW = '2026-11-30T12:00:00.000Z';
const sealed = (text: string) => ({ sealed: text });
const registration = {
  webhookId: 'w1',
  sealedReceiver: sealed('receiver'),
  events: ['OrderPlaced' as const],
  inOrder: false,
  customerId: 'alice',
  sealedSecret: sealed('first'),
};
const registered = { type: 'WebhookRegistered', data: registration } as const satisfies WebhookEvent;
const rotated = {
  type: 'WebhookSecretRotated',
  data: { webhookId: 'w1', sealedSecret: sealed('second'), formerUntil: TOMORROW },
} as const satisfies WebhookEvent;
const disabled = { type: 'WebhookDisabled', data: { webhookId: 'w1', reason: 'EXPIRED' } } as const;
const webhook = given(webhookDecider, { now: NOW });
const stateAfter = (...events: readonly WebhookEvent[]) =>
  events.reduce(webhookDecider.evolve, webhookDecider.initialState);

test('a registered webhook is active, and shows no secret', () => {
  webhook([])
    .when({ type: 'Register', ...registration })
    .then([registered]);
  const stored = toStored(stateAfter(registered), 1);
  expect(stored).toMatchObject({ status: 'ACTIVE', webhookId: 'w1', customerId: 'alice', version: 1 });
  expect(JSON.stringify(stored)).not.toContain('first');
});

test('after a rotation both secrets sign for a day, the newest one first', () => {
  webhook([registered])
    .when({ type: 'RotateSecret', sealedSecret: sealed('second') })
    .then([rotated]);
  const live = findLive(stateAfter(registered, rotated));
  if (!live) throw new Error('the webhook does not exist');
  expect(selectSecrets(live, NOW)).toEqual([sealed('second'), sealed('first')]);
  expect(selectSecrets(live, TOMORROW)).toEqual([sealed('second')]);
});

test('it is disabled once, and enabled once', () => {
  webhook([registered]).when({ type: 'Disable', reason: 'EXPIRED' }).then([disabled]);
  webhook([registered, disabled]).when({ type: 'Disable', reason: 'GONE' }).then([]);
  webhook([registered]).when({ type: 'Enable' }).then([]);
  webhook([registered, disabled])
    .when({ type: 'Enable' })
    .then([{ type: 'WebhookEnabled', data: { webhookId: 'w1' } }]);
  expect(toStored(stateAfter(registered, disabled), 2)).toMatchObject({ status: 'DISABLED', disabledReason: 'EXPIRED' });
});

test('a webhook whose customer was forgotten is disabled for ever, whatever it was before', () => {
  const forgotten = { type: 'WebhookDisabled', data: { webhookId: 'w1', reason: 'FORGOTTEN' } } as const;
  for (const before of [[registered], [registered, disabled]])
    webhook(before).when({ type: 'Disable', reason: 'FORGOTTEN' }).then([forgotten]);
  for (const reason of ['FORGOTTEN', 'GONE'] as const)
    webhook([registered, forgotten]).when({ type: 'Disable', reason }).then([]);
  webhook([registered, forgotten]).when({ type: 'Enable' }).then([]);
  expect(toStored(stateAfter(registered, forgotten), 2)).toMatchObject({ disabledReason: 'FORGOTTEN' });
});

test('a deleted webhook exists no more, whatever comes behind', () => {
  const deleted = { type: 'WebhookDeleted', data: { webhookId: 'w1' } } as const;
  webhook([registered]).when({ type: 'Delete' }).then([deleted]);
  webhook([registered, deleted]).when({ type: 'Disable', reason: 'GONE' }).then([]);
  for (const state of [stateAfter(registered, deleted), stateAfter(registered, deleted, disabled, rotated)])
    expect(toStored(state, 3)).toBeUndefined();
});
