import { expect, test } from 'vitest';
import { Baseline } from './baseline.js';
import type { EndState } from './end-state.js';

const state = (events: number, orders: readonly object[] = [], waiting = 0): EndState => ({
  begins: 0,
  at: 0,
  tables: { Orders: { items: orders, key: ['pk'], ttl: 'until' } },
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

test('an attribute that is there or not by chance is left out, and the others of its item are compared', () => {
  const mails = (parked: number, more: object = {}) =>
    Array.from({ length: 3 }, (_, number) => ({
      pk: `mail ${number}`,
      ...(number === parked && { parkedAt: 'a' }),
      ...more,
    }));
  // A message that was overtaken was parked: each calm history has one, but not the same.
  const baseline = new Baseline([0, 1, 1].map((parked) => state(0, mails(parked))));
  expect(baseline.leftOut).toEqual(['Orders: parkedAt']);
  expect(baseline.differences(state(0, mails(2)))).toEqual([]);
  expect(baseline.differences(state(0, mails(2, { total: 1 })))).toEqual([
    'Orders {"pk":"mail 0"}: "total":1, without faults none',
    'Orders {"pk":"mail 1"}: "total":1, without faults none',
    'Orders {"pk":"mail 2"}: "total":1, without faults none',
  ]);
});

test('an attribute of the time to live is never compared, although it was the same without faults', () => {
  const baseline = new Baseline([1, 1].map((until) => state(0, [{ ...steady, until: until + 1_767_600_000 }])));
  expect(baseline.differences(state(0, [{ ...steady, until: 1_767_600_060 }]))).toEqual([]);
  expect(baseline.leftOut).toEqual([]);
});

test('an item whose time to live is over is as good as deleted, here or without faults', () => {
  const at = (seconds: number, ...items: readonly object[]) => ({ ...state(0, items), at: seconds * 1_000 });
  const lease = { pk: 'lease', until: 100 };
  expect(new Baseline([at(50, steady), at(50, steady)]).differences(at(200, steady, lease))).toEqual([]);
  expect(new Baseline([at(50, steady, lease), at(50, steady, lease)]).differences(at(200, steady))).toEqual([]);
  // As long as it isn't over, it counts.
  expect(new Baseline([at(50, steady), at(50, steady)]).differences(at(60, steady, lease))).toEqual([
    'Orders has {"pk":"lease"}',
  ]);
  expect(new Baseline([at(50, steady, lease), at(50, steady, lease)]).differences(at(60, steady))).toEqual([
    'Orders lacks {"pk":"lease"}',
  ]);
});

test('a difference names the members that differ, however long the item is', () => {
  const order = (status: string, price: number) => ({
    address: 'y'.repeat(300),
    data: JSON.stringify({ lines: 'z'.repeat(300), price }),
    pk: 'a',
    status,
  });
  const baseline = new Baseline([order('PAID', 120), order('PAID', 120)].map((one) => state(0, [one])));
  const [line = '', ...others] = baseline.differences(state(0, [order('OPEN', 7)]));
  expect(others).toEqual([]);
  expect(line).toMatch(
    /^Orders \{"pk":"a"\}: "data":…z+\\",\\"price\\":7\}", without faults …z+\\",\\"price\\":120\}"; /,
  );
  expect(line).toMatch(/; "status":"OPEN", without faults "PAID"$/);
  expect(line.length).toBeLessThan(240);
});

test('what differs when work was only late is left out, and never excuses a missing item', () => {
  const run = (attempts: number) => ({ ...steady, run: { attempts } });
  const calm = [state(0, [run(1), { pk: 'b' }]), state(0, [run(1), { pk: 'b' }])];
  const late = state(0, [run(2), { pk: 'lease' }]);
  expect(new Baseline(calm).differences(late)).toEqual([
    'Orders {"pk":"a"}: "run":{"attempts":2}, without faults {"attempts":1}',
    'Orders lacks {"pk":"b"}',
    'Orders has {"pk":"lease"}',
  ]);
  const baseline = new Baseline(calm, [late]);
  expect(baseline.differences(state(0, [run(3), { pk: 'b' }, { pk: 'lease' }]))).toEqual([]);
  expect(baseline.differences(late)).toEqual(['Orders lacks {"pk":"b"}']);
  expect(baseline.differences(state(0, [{ ...run(2), total: 2 }, { pk: 'b' }]))).toEqual([
    'Orders {"pk":"a"}: "total":2, without faults 1',
  ]);
});

test('an attribute that differs between items of one key when work was late is left out, although its values were all there', () => {
  const commit = (sk: number, what: string) => ({ pk: 'saga', sk, what });
  const commits = (...items: readonly object[]): EndState => ({
    ...state(0),
    tables: { Orders: { items, key: ['pk', 'sk'] } },
  });
  const baseline = new Baseline(
    [commits(commit(1, 'charge'), commit(2, 'reserve')), commits(commit(1, 'charge'), commit(2, 'reserve'))],
    [commits(commit(1, 'charge'), commit(2, 'charge'), commit(3, 'reserve'))],
  );
  expect(baseline.differences(commits(commit(1, 'reserve'), commit(2, 'charge')))).toEqual([]);
  expect(baseline.differences(commits(commit(1, 'reserve')))).toEqual(['Orders lacks {"pk":"saga","sk":2}']);
});

test('a dead-letter queue has more if it got more, although a function has taken it since', () => {
  const got = (messages: number, waiting = 0): EndState => ({
    ...state(0, [], waiting),
    sent: { 'messages of Later': messages },
  });
  const baseline = new Baseline([got(0), got(0)]);
  expect(baseline.hasMore('Later', got(0))).toBe(false);
  expect(baseline.hasMore('Later', got(1))).toBe(true);
  expect(baseline.hasMore('Later', got(0, 1))).toBe(true);
});
