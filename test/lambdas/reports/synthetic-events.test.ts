import { describe, expect, test } from 'vitest';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import type { CountedEvent } from '../../../lambdas/reports/domain/tally.js';
import { isSynthetic } from '../../../lambdas/reports/synthetic-events.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { approved, cancelled, charged, placed, rejected } from './counted.js';

const PROBE = 'probe@clients';
const of = (event: CountedEvent, fields: Partial<Envelope> = {}) => ({
  event,
  envelope: eventMessage(event.type.startsWith('Payment') ? paymentsContract : ordersContract, event, {
    actor: 'service:orders',
    ...fields,
  }),
});
const ofProbe = { onbehalfof: `customer:${PROBE}` };

describe('a report leaves out a synthetic order', () => {
  test.each<[string, ReturnType<typeof of>]>([
    ['that its customer places', of(placed('TEA-1'), { actor: `customer:${PROBE}` })],
    ['that services approve for its customer', of(approved, ofProbe)],
    ['that services reject for its customer', of(rejected('OUT_OF_STOCK'), ofProbe)],
    ['that an operator cancels', of(withCustomer(cancelled(false)), { actor: 'operator:ada' })],
  ])('%s', (_, message) => {
    expect(isSynthetic(message, PROBE)).toBe(true);
    expect(isSynthetic(message, undefined)).toBe(false);
    expect(isSynthetic(message, 'probe')).toBe(false);
  });
});

describe('a report counts', () => {
  test.each<[string, ReturnType<typeof of>]>([
    ['an order of somebody else', of(placed('TEA-1'), { actor: 'customer:alice' })],
    ['money, whoever pays', of(charged(100, 'EUR'), ofProbe)],
    ['what an operator of the same name does', of(rejected('OUT_OF_STOCK'), { actor: `operator:${PROBE}` })],
  ])('%s', (_, message) => expect(isSynthetic(message, PROBE)).toBe(false));
});

function withCustomer(event: CountedEvent): CountedEvent {
  return { ...event, data: { ...event.data, customerId: PROBE } } as CountedEvent;
}
