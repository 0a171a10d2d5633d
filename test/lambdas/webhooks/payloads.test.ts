import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { RegisterWebhook } from '../../../lambdas/webhooks/contract.js';
import { buildPayload, OFFERED_TYPES, type OfferedEvent } from '../../../lambdas/webhooks/payloads.js';
import { findExample } from '../../../tools/docs/message-examples.js';

const ORDER = { time: '2026-11-29T12:00:00.000Z', sequence: 3, customerId: 'alice' };

/** Fields of an event that no receiver may have: sealed ones, and the names under which they are shown. */
function personalFieldsOf(type: keyof typeof ordersContract.events): readonly string[] {
  const { personal = {}, shownAs = {} } = ordersContract.events[type] as {
    readonly personal?: object;
    readonly shownAs?: Readonly<Record<string, string>>;
  };
  return [...Object.keys(personal), ...Object.values(shownAs)];
}

test.each(OFFERED_TYPES)('the body of %s has its data, and nothing personal', (type) => {
  const { data } = findExample('orders', type) as { readonly data: Readonly<Record<string, unknown>> };
  const personal = personalFieldsOf(type);
  const planted = Object.fromEntries(personal.map((field) => [field, 'a person']));
  const body = buildPayload({ type, data: { ...planted, ...data } } as OfferedEvent, ORDER);
  const payload = JSON.parse(body);
  expect(payload).toMatchObject({
    type,
    timestamp: ORDER.time,
    orderId: data.orderId,
    customerId: 'alice',
    sequence: 3,
    data: { orderId: data.orderId },
  });
  for (const field of personal) expect(Object.keys(payload.data)).not.toContain(field);
  expect(body).not.toContain('sealed');
  expect(body).not.toContain('a person');
});

test('an order of nobody known has no customer in its body', () => {
  const event = { type: 'OrderApproved', data: { orderId: 'o1' } } as const;
  expect(JSON.parse(buildPayload(event, { ...ORDER, customerId: undefined }))).not.toHaveProperty('customerId');
});

test.each([
  [{ url: 'http://shop.example.com/', events: ['OrderPlaced'] }, 'url', 'expected https'],
  [{ url: 'https://169.254.169.254/latest', events: ['OrderPlaced'] }, 'url', 'a host of the public internet'],
  [
    { url: 'https://shop.example.com/', events: ['OrderShipped'] },
    'events.0',
    'OrderShipped is not offered: expected one of OrderPlaced, OrderApproved, OrderDispatched, OrderRejected, OrderCancelled',
  ],
  [{ url: 'https://shop.example.com/', events: [] }, 'events', ''],
  [{ url: 'https://shop.example.com/', events: ['OrderPlaced', 'OrderPlaced'] }, 'events', 'each type once'],
])('a webhook is refused: %j', (body, path, expected) => {
  const { error } = z.safeParse(RegisterWebhook, body);
  const issues = (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  expect(issues.join()).toContain(`${path}: `);
  expect(issues.join()).toContain(expected);
});
