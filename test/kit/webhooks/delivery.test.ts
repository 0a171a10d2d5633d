import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { computeBackoff } from '../../../packages/kit/inbox/backoff.js';
import { decideNext, GIVE_UP_AFTER_SECONDS } from '../../../packages/kit/webhooks/delivery.js';
import type { OutboundResult } from '../../../packages/kit/webhooks/outbound-request.js';
import { WEBHOOK_RETRIES } from '../../../packages/kit/webhooks/retries.construct.js';

const SINCE = '2026-11-29T12:00:00.000Z';
beforeEach(() => void vi.useFakeTimers({ now: Date.parse(SINCE) }));
afterEach(() => void vi.useRealTimers());

const answered = (status: number): OutboundResult => ({ kind: 'answered', status });

test.each([200, 201, 204, 299])('%s is a success', (status) =>
  expect(decideNext(answered(status), SINCE)).toEqual({ next: 'delivered' }),
);

test('410 ends it at once', () =>
  expect(decideNext(answered(410), SINCE)).toEqual({ next: 'disable', reason: 'gone' }));

test.each<[string, OutboundResult]>([
  ['a redirect', answered(302)],
  ['a refusal', answered(400)],
  ['a missing page', answered(404)],
  ['an error', answered(500)],
  ['a timeout', { kind: 'failed', reason: 'timeout' }],
  ['a private address', { kind: 'failed', reason: 'private' }],
])('%s is tried again for three days', (_, result) => {
  expect(decideNext(result, SINCE)).toEqual({ next: 'retry' });
  vi.setSystemTime(Date.parse(SINCE) + GIVE_UP_AFTER_SECONDS * 1000 - 1);
  expect(decideNext(result, SINCE)).toEqual({ next: 'retry' });
  vi.setSystemTime(Date.parse(SINCE) + GIVE_UP_AFTER_SECONDS * 1000);
  expect(decideNext(result, SINCE)).toEqual({ next: 'disable', reason: 'expired' });
});

test('the receiver says when the next attempt may come', () =>
  expect(decideNext({ ...answered(429), retryAfterSeconds: 90 } as OutboundResult, SINCE)).toEqual({
    next: 'retry',
    notBefore: '2026-11-29T12:01:30.000Z',
  }));

test('the pauses of the inbox end after three days, long before its attempts do', () => {
  let [attempts, seconds] = [0, 0];
  while (seconds < GIVE_UP_AFTER_SECONDS) seconds += computeBackoff(++attempts, WEBHOOK_RETRIES.backoff);
  expect(attempts).toBe(24);
  expect(WEBHOOK_RETRIES.attempts).toBeGreaterThan(2 * attempts);
});
