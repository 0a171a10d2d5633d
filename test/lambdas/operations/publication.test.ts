import { expect, test } from 'vitest';
import { findRelaysToAsk } from '../../../lambdas/operations/order-facts.js';
import { judgeOrder } from '../../../lambdas/operations/order-verdict.js';
import type { Relays } from '../../../packages/operator/deployment/relays.js';
import { DONE, facts, type Given, PLACED, time } from './facts.js';

/** An order that was placed at midnight, half a minute ago; nothing has happened since. */
const NEW = {
  orders: [PLACED],
  told: [],
  prices: [],
  account: [],
  reservations: [],
  payments: [],
  status: 'PENDING',
  records: {},
  shown: 0,
  after: 30,
} as const satisfies Given;
const relays = (lagSeconds: number): Relays => ({
  now: time(30),
  readings: new Map([['orders', { minute: time(0), lagSeconds }]]),
});
const report = (given: Given, lagSeconds: number) => {
  const { events, verdict } = judgeOrder({ ...facts(given), relays: relays(lagSeconds) });
  return { verdict, placed: events.find(({ type }) => type === 'OrderPlaced')?.publication };
};

test('an event that no consumer has waits for its relay, if that is behind: the verdict names the relay, not the consumers', () => {
  const { verdict, placed } = report(NEW, 29);
  expect(placed).toMatchObject({ state: 'waiting' });
  expect(verdict).toMatchObject({
    state: 'pending',
    text: 'pending: OrderPlaced is not published: it waits for the relay, which is up to 29 s behind',
  });
});

test('the verdict names the consumers if the metric does not show the delay yet', () => {
  const { verdict, placed } = report(NEW, 1);
  expect(placed).toMatchObject({ state: 'unknown' });
  expect(verdict.text).toBe('pending: orders-saga of OrderPlaced, for 30 s; orders-list of OrderPlaced, for 30 s');
});

test('an event that one consumer has is published, whatever the relay says', () => {
  const records = { 'orders-saga@0#OrderPlaced-1': { pk: 'p', status: 'PENDING' } } as const;
  const stored = report({ ...NEW, records }, 29);
  expect(stored.placed).toEqual({ state: 'published', text: 'published: it has reached orders-saga' });
  expect(stored.verdict.text).toMatch(/orders-list of OrderPlaced, for 30 s$/);
  expect(report({ ...NEW, records: DONE }, 29).placed).toMatchObject({ state: 'published' });
});

test('the row of a projection proves nothing: a later event may have brought it there', () => {
  expect(report({ ...NEW, shown: 1 }, 29).placed).toMatchObject({ state: 'waiting' });
});

test('relays are asked only if a message waits of which no consumer has anything', () => {
  expect(findRelaysToAsk(facts(NEW)).map(({ name }) => name)).toEqual(['orders']);
  expect(findRelaysToAsk(facts({ ...NEW, records: DONE }))).toEqual([]);
  expect(findRelaysToAsk(facts())).toEqual([]);
  const refused = { 'relay@0#Order#o1/COMMIT#0000000001': { pk: 'p', status: 'FAILED' } } as const;
  expect(
    judgeOrder({ ...facts({ ...NEW, records: refused }), relays: relays(29) }).events[0]?.publication,
  ).toBeUndefined();
});
