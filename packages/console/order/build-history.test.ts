import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildHistory } from './build-history.js';
import type { AttemptMark, History } from './history.js';
import type { Happening } from './streamed-attempts.js';
import { listMessages, type Trace } from './trace.js';

/**
 * An order of a local cloud: its reservation was killed behind its write, the result of its authorization was lost, its charge crashed
 * twice, the reservation was sent again, and once more 36 days later.
 */
const recorded = JSON.parse(readFileSync(new URL('recorded/order.json', import.meta.url), 'utf8')) as {
  readonly trace: Trace;
  readonly happenings: readonly Happening[];
};
const lastNumber = recorded.happenings.at(-1)?.number ?? 0;
const history = buildHistory({ id: 'order-1', ...recorded, tracedUpTo: lastNumber });

const attemptsOf = ({ deliveries }: History, type: string, consumer: string): readonly AttemptMark[] =>
  deliveries.filter((one) => one.type === type && one.consumer === consumer).flatMap(({ attempts }) => attempts);

describe('a recorded history', () => {
  test('counts what the report on the order counts', () => {
    const { delivered, applied, duplicate, refused, postponed, crashed } = recorded.trace.attempts ?? expect.fail();
    expect(history.counts).toEqual({ delivered, applied, stored: 0, duplicate, refused, postponed, crashed });
    expect(history.doneTwice).toBe(0);
  });

  test('shows each attempt at a message with its fault, until it is too old', () => {
    const attempts = attemptsOf(history, 'ReserveStock', 'inventory-commands');
    expect(attempts.map(({ look, fault, receiveCount }) => [look, fault, receiveCount])).toEqual([
      ['crashed', 'killed-after', 1],
      ['duplicate', undefined, 2],
      ['duplicate', undefined, 1],
      ['refused', undefined, 1],
    ]);
    expect(attempts.at(-1)?.cause).toMatch(/^TooOld/);
  });

  test('shows that an answer was lost, and that the message came again', () =>
    expect(
      attemptsOf(history, 'AuthorizeAccount', 'accounts-commands').map(({ look, fault }) => [look, fault]),
    ).toEqual([
      ['answer lost', 'result-lost'],
      ['duplicate', undefined],
    ]));

  test('knows the function of each consumer that got a message', () =>
    expect(history.deliveries.find(({ consumer }) => consumer === 'payments-commands')?.owner).toBe(
      'Payments/OnCommands',
    ));

  test('has the steps of the saga, and its timeouts', () => {
    const [saga] = history.sagas;
    expect(saga?.status).toBe('COMPLETED');
    expect(saga?.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'confirm-prices done',
      'authorize-account done',
      'reserve-stock done',
      'charge-payment done',
    ]);
    expect(history.timers.length).toBeGreaterThan(0);
    for (const { at, due } of history.timers) expect(due).toBeGreaterThan(at);
  });

  test('commits nothing behind the delivery of what was committed', () => {
    for (const { commit, attempts } of history.deliveries) {
      const { at = Number.NaN } = history.commits.find(({ id }) => id === commit) ?? {};
      for (const attempt of attempts) expect(attempt.began ?? attempt.at).toBeGreaterThan(at);
    }
  });

  test('knows when somebody forwarded the clock', () =>
    expect(history.forwards.map(({ from, to }) => to - from)).toEqual([300_000, 36 * 86_400_000]));
});

test('a delivery has the time at which its record expires', () => {
  const [root] = recorded.trace.roots;
  const roots = root
    ? [{ ...root, hops: root.hops.map((hop) => ({ ...hop, expiresAt: '2027-01-03T21:50:40.000Z' })) }]
    : [];
  const { deliveries } = buildHistory({ id: 'order-1', trace: { ...recorded.trace, roots } });
  expect(deliveries.find(({ type }) => type === 'OrderPlaced')?.expiresAt).toBe(Date.parse('2027-01-03T21:50:40Z'));
});

describe('without happenings, as at AWS', () => {
  const logged = buildHistory({ id: 'order-1', trace: recorded.trace });

  test('the counts are the same', () => expect(logged.counts).toEqual(history.counts));

  test('an attempt without a time stands between the commit and the attempt that followed', () => {
    const [first, second, third] = attemptsOf(logged, 'ChargePayment', 'payments-commands');
    expect([first?.isEstimated, second?.isEstimated, third?.isEstimated]).toEqual([true, true, undefined]);
    const [begin = 0, end = 0] = [first?.at, third?.at];
    expect(end).toBeGreaterThan(begin);
    expect(second?.at).toBe(Math.round((begin + end) / 2));
  });

  test('an answer that was lost is recognised by the delivery that followed', () =>
    expect(attemptsOf(logged, 'AuthorizeAccount', 'accounts-commands').map(({ look }) => look)).toEqual([
      'answer lost',
      'duplicate',
    ]));
});

describe('without a trace, as of an app that has none', () => {
  const [root] = recorded.trace.roots;
  const correlation = root?.correlationId ?? '';
  const streamed = buildHistory({ id: correlation, happenings: recorded.happenings });

  test('the history of a correlation id has a place of publication for each message, and its attempts', () => {
    const published = new Set(streamed.commits.flatMap(({ messages }) => messages.map(({ type }) => type)));
    expect([...published]).toEqual(expect.arrayContaining(['OrderPlaced', 'ReserveStock', 'PaymentCharged']));
    expect(streamed.services).toEqual(expect.arrayContaining(['orders', 'inventory', 'payments']));
    const { duplicate, refused, crashed } = history.counts;
    expect(streamed.counts).toMatchObject({ duplicate, refused, crashed });
  });

  test('nothing of another correlation id is in it', () =>
    expect(buildHistory({ id: 'another', happenings: recorded.happenings }).deliveries).toEqual([]));
});

describe('what happens after the trace was read', () => {
  const messages = listMessages(recorded.trace);
  const reserve = messages.find(({ type }) => type === 'ReserveStock') ?? expect.fail();
  const delivery = (number: number, more: Partial<Happening>): Happening => ({
    number,
    at: Date.parse('2027-02-01T00:00:00Z') + number,
    kind: 'delivery',
    owner: 'Inventory/OnCommands',
    id: 'q-9 1',
    messageId: 'q-9',
    receiveCount: 1,
    eventId: reserve.id,
    type: reserve.type,
    correlationId: reserve.correlationId,
    ...more,
  });
  const began = delivery(lastNumber + 1, { outcome: 'began' });
  const after = (...more: readonly Happening[]): History =>
    buildHistory({
      id: 'order-1',
      trace: recorded.trace,
      tracedUpTo: lastNumber,
      happenings: [...recorded.happenings, ...more],
    });

  test('an attempt that began runs, and is not counted yet', () => {
    const now = after(began);
    expect(attemptsOf(now, 'ReserveStock', 'inventory-commands').at(-1)?.look).toBe('running');
    expect(now.counts).toEqual(history.counts);
  });

  test('an attempt that crashed is shown before any log line tells of it', () => {
    const now = after(began, delivery(lastNumber + 2, { outcome: 'crashed', error: 'Runtime.ExitError: killed' }));
    const last = attemptsOf(now, 'ReserveStock', 'inventory-commands').at(-1);
    expect(last).toMatchObject({ look: 'crashed', cause: 'Runtime.ExitError: killed' });
    expect(now.counts.crashed).toBe(history.counts.crashed + 1);
  });

  test('a fault that was made before its invocation began belongs to it', () => {
    const fault = {
      number: lastNumber + 1,
      at: 0,
      kind: 'fault',
      owner: 'Inventory/OnCommands',
      id: 'i 1',
      fault: 'crashed',
    };
    const of = (number: number, invocation: string, outcome: string): Happening =>
      delivery(lastNumber + number, { invocation, outcome, id: invocation, messageId: invocation });
    const now = after(fault, of(2, 'i 1', 'began'), of(3, 'i 1', 'crashed'));
    expect(attemptsOf(now, 'ReserveStock', 'inventory-commands').at(-1)?.fault).toBe('crashed');
  });

  test('a new message of its correlation is drawn at once', () => {
    const more = { eventId: 'new', type: 'OrderDispatched', messageId: 'q-10', source: 'orderly.orders' };
    const now = after(delivery(lastNumber + 3, { ...more, outcome: 'began', owner: 'Webhooks/OnOrderEvents' }));
    expect(now.commits.at(-1)).toMatchObject({ service: 'orders', isPublication: true });
    expect(now.deliveries.at(-1)).toMatchObject({ consumer: 'webhooks-orders', service: 'webhooks' });
  });

  test('an older message of its correlation that the trace leaves out belongs to another order', () => {
    const other = delivery(1, { eventId: 'other', subject: 'Order/other', outcome: 'applied', messageId: 'q-11' });
    expect(after(other).deliveries.length).toBe(history.deliveries.length);
  });
});
