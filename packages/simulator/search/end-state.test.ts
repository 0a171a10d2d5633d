import { expect, test } from 'vitest';
import { Baseline, type EndState } from './end-state.js';

const state = (events: number, orders: readonly object[] = [], waiting = 0): EndState => ({
  tables: { Orders: orders },
  queues: { Later: waiting },
  sent: { 'event shop Changed on default': events },
});
const steady = { pk: 'a', total: 1 };

test('a number that is the same without faults may not become smaller', () => {
  const baseline = new Baseline([state(28), state(28), state(28)]);
  expect(baseline.unsent(state(28))).toEqual([]);
  expect(baseline.unsent(state(27))).toEqual(['event shop Changed on default: 27, without faults 28']);
});

test('a number that differs without faults is chance, as long as it is not none', () => {
  const baseline = new Baseline([state(28), state(29), state(35)]);
  expect(baseline.unsent(state(25))).toEqual([]);
  expect(baseline.unsent(state(0))).toEqual(['event shop Changed on default: 0, without faults 1']);
  expect(new Baseline([state(0), state(2)]).unsent(state(0))).toEqual([]);
});

test('items whose number differs without faults are no difference, and others are', () => {
  const tries = (count: number) => Array.from({ length: count }, () => ({ pk: 'try' }));
  const baseline = new Baseline([1, 2, 4].map((count) => state(0, [steady, ...tries(count)])));
  expect(baseline.differences(state(0, [steady, ...tries(7)]))).toEqual([]);
  expect(baseline.differences(state(0, tries(2)))).toEqual(['Orders lacks {"pk":"a","total":1}']);
  expect(baseline.differences(state(0, [steady, steady, { pk: 'b' }, ...tries(2)]))).toEqual([
    'Orders has {"pk":"a","total":1}',
    'Orders has {"pk":"b"}',
  ]);
});

test('a queue has as many messages as in any history without faults', () => {
  expect(new Baseline([state(0, [], 0), state(0, [], 2)]).messages('Later')).toBe(2);
});
