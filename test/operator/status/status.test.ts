import { describe, expect, test } from 'vitest';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { watchOutcome } from '../../../packages/operator/cli/watch.js';
import { toAlarms } from '../../../packages/operator/status/metrics.js';
import { findProblems } from '../../../packages/operator/status/problems.js';
import { type StatusSection, toStatusOutcome } from '../../../packages/operator/status/report.js';
import type { ConsumerState, FailingFunction, StatusFacts } from '../../../packages/operator/status/status-facts.js';

const bookings: ConsumerState = {
  service: 'halls',
  consumer: 'bookings',
  kind: 'consumer',
  pending: 0,
  inFlight: 0,
  failed: 0,
  moreFailed: false,
};
const saga: ConsumerState = { ...bookings, consumer: 'trips-saga', kind: 'saga', lateSeconds: 0, stuck: 0 };
const inbox: ConsumerState = { ...bookings, consumer: 'lists', kind: 'inbox', parked: 0, lateSeconds: 0 };

const failing: FailingFunction = {
  service: 'halls',
  entry: 'halls/on-booking',
  name: 'cinema-dev-Halls-OnBooking1',
  kind: 'consumer',
  consumer: 'bookings',
  calls: 12,
  failed: 5,
  retried: 0,
  failingSince: '2026-03-01T11:59:00.000Z',
  inARow: 5,
  lastError: { at: '2026-03-01T11:59:30.000Z', name: 'Runtime.ExitError' },
  oldestSeconds: 66,
  givesUpInSeconds: 660,
};

const pause = { by: 'olga', reason: 'it books twice' };
const { failingSince: _, inARow: __, ...sometimes } = failing;

const QUIET: StatusFacts = {
  now: '2026-03-01T12:00:00.000Z',
  consumers: [bookings, saga, inbox],
  relays: [{ service: 'halls', lagSeconds: 0, failed: 0, moreFailed: false }],
  sweepers: [{ service: 'halls', consumer: 'trips-saga', lastTick: '2026-03-01T11:59:00.000Z' }],
  failing: [],
  deadLetters: { queues: 6, filled: [] },
  audit: { auditedUntil: '2026-03-01T11:44:00.000Z', followed: 0 },
  alarms: { total: 40, active: [] },
  unread: [],
};

const report = (
  facts: Partial<StatusFacts>,
  {
    sections = [],
    all = false,
    runbook,
  }: { sections?: readonly StatusSection[]; all?: boolean; runbook?: string } = {},
) => {
  const whole = { ...QUIET, ...facts };
  const advising = { command: commandFormatter('cinema'), ...(runbook !== undefined && { runbook }) };
  return toStatusOutcome(whole, findProblems(whole, advising), { sections, all });
};
/** The rows above the first empty one: the verdict. */
const verdict = (facts: Partial<StatusFacts>, runbook = 'run.md') => report(facts, { runbook }).text.split('\n\n')[0];

describe('status of a quiet environment', () => {
  test('a quiet environment is healthy, on one line, and ends with 0', () => {
    const { exitCode, text } = report({});
    expect(exitCode).toBe(0);
    expect(text.split('\n')).toEqual([
      'HEALTHY',
      '',
      'relays        at most 0 s behind (halls)',
      'sweepers      last tick 60 s ago',
      'sagas         none stuck',
      'dead letters  none in 6 queues',
      'audit         nothing is missing that is older than 16 min',
      'alarms        none of 40 on',
      '',
      '3 consumers have nothing to do',
    ]);
  });

  test('lists quiet consumers on request', () =>
    expect(report({}, { all: true }).text).toMatch(/\nhalls\/lists +0 +0 +- +0 +0$/));

  test('says what it does not know', () => {
    const { text } = report({ relays: [{ service: 'halls', failed: 0, moreFailed: false }], sweepers: [] });
    expect(text).toContain('relays        1 relay, nothing read in the last minutes\n');
    expect(text).not.toContain('sweepers');
  });

  test('the JSON of the status has a shape that scripts can rely on', () => {
    const section = { name: 'films', rows: [], json: { shown: 3 } };
    expect(report({}, { sections: [section] }).json).toEqual({
      state: 'healthy',
      at: QUIET.now,
      problems: [],
      films: { shown: 3 },
      consumers: [bookings, saga, inbox],
      relays: QUIET.relays,
      sweepers: QUIET.sweepers,
      failing: [],
      deadLetters: { queues: 6, filled: [] },
      audit: { auditedUntil: '2026-03-01T11:44:00.000Z', followed: 0 },
      alarms: { total: 40, active: [] },
      unread: [],
    });
  });
});

describe('status says what is wrong, and the next step', () => {
  test.each<[string, Partial<StatusFacts>, string]>([
    ['stuck sagas', { consumers: [{ ...saga, stuck: 2 }] }, '2 sagas of trips-saga are stuck. Next: cinema sagas list'],
    [
      'failures of one consumer',
      { consumers: [{ ...bookings, failed: 1 }] },
      '1 message failed (bookings). Next: cinema failures groups --consumer bookings',
    ],
    [
      'failures of several, more than were counted',
      {
        consumers: [{ ...bookings, failed: 1000, moreFailed: true }],
        relays: [{ service: 'halls', failed: 2, moreFailed: false }],
      },
      'over 1002 messages failed (bookings, relay). Next: cinema failures causes',
    ],
    [
      'a consumer that dies in each call',
      { failing: [failing] },
      'bookings (halls/on-booking) fails in each of its last 5 calls, since 60 s: Runtime.ExitError; the oldest message waits for 66 s and is given up in at most 11 min. Next: cinema doctor\n      page: run.md, "FunctionFailing"',
    ],
    [
      'a relay that the bus refuses',
      {
        failing: [
          {
            service: 'halls',
            entry: 'kit/outbox/relay',
            name: 'cinema-dev-Halls-Relay1',
            kind: 'relay',
            calls: 1,
            failed: 1,
            retried: 0,
            failingSince: '2026-03-01T12:00:00.000Z',
            inARow: 1,
            lastError: {
              at: '2026-03-01T12:00:00.000Z',
              message: 'publish failed',
              name: 'ThrottlingException',
              text: 'Rate exceeded',
              frame: 'at publish (publish.ts:71:9)',
            },
          },
        ],
      },
      'the relay of halls fails in its last call, since 0 s: publish failed: ThrottlingException: Rate exceeded, at publish (publish.ts:71:9). Next: cinema doctor\n      page: run.md, "RelayBehind"',
    ],
    [
      'an endpoint that times out',
      {
        failing: [
          {
            service: 'halls',
            entry: 'halls/book',
            name: 'b',
            kind: 'endpoint',
            calls: 3,
            failed: 3,
            retried: 0,
            failingSince: '2026-03-01T11:58:00.000Z',
            inARow: 3,
          },
        ],
      },
      'halls/book fails in each of its last 3 calls, since 2 min. Next: cinema doctor\n      page: run.md, "FunctionFailing"',
    ],
    [
      'dead letters',
      { deadLetters: { queues: 6, filled: [{ queue: 'cinema-dev-Halls-BookingsUndelivered7', messages: 3 }] } },
      '3 messages in dead-letter queues (cinema-dev-Halls-BookingsUndelivered7). Next: cinema doctor\n      page: run.md, "UndeliveredNotDrained"',
    ],
    [
      'an audit that is behind',
      { audit: { auditedUntil: '2026-03-01T10:00:00.000Z', followed: 0 } },
      'the delivery audit is 2 h behind. Next: cinema doctor\n      page: run.md, "AuditBehind"',
    ],
    [
      'a delivery that was missing',
      { audit: { auditedUntil: '2026-03-01T11:44:00.000Z', followed: 1 } },
      '1 delivery was missing and sent again; what became of it is not known yet. Next: cinema audit-log\n      page: run.md, "DeliveryMissing"',
    ],
    [
      'a relay that is behind',
      { relays: [{ service: 'halls', lagSeconds: 300, failed: 0, moreFailed: false }] },
      'the relay of halls is 5 min behind. Next: cinema doctor\n      page: run.md, "RelayBehind"',
    ],
    [
      'what is late',
      { consumers: [{ ...saga, lateSeconds: 600 }] },
      'what trips-saga has stored is due since 10 min and was not handed out. Next: cinema sagas list\n      page: run.md, "TimersLate"',
    ],
    [
      'a sweeper that has not ticked for long',
      { sweepers: [{ service: 'halls', consumer: 'trips-saga', lastTick: '2026-03-01T11:50:00.000Z' }] },
      'nothing has called the sweeper of trips-saga for 10 min or longer. Next: cinema doctor\n      page: run.md, "SweeperStopped"',
    ],
    [
      'a sweeper without any tick, while something is due',
      { consumers: [{ ...inbox, lateSeconds: 120 }], sweepers: [{ service: 'halls', consumer: 'lists' }] },
      'nothing has called the sweeper of lists for 10 min or longer. Next: cinema doctor\n      page: run.md, "SweeperStopped"',
    ],
    [
      'an alarm about failures',
      { alarms: { total: 40, active: [{ name: 'cinema-dev-X', heading: 'FailureRecorded', description: '' }] } },
      'alarm FailureRecorded is on (cinema-dev-X). Next: cinema failures causes\n      page: run.md, "FailureRecorded"',
    ],
    [
      'an old message in a queue',
      { consumers: [{ ...bookings, pending: 1, oldestSeconds: 7200 }] },
      'a message has waited for 2 h for bookings. Next: cinema doctor\n      page: run.md, "QueueBehind"',
    ],
    [
      'an old message in an inbox',
      { consumers: [{ ...inbox, pending: 1, oldestSeconds: 7200 }] },
      'a message has waited for 2 h for lists. Next: cinema inbox list --consumer lists\n      page: run.md, "InboxBehind"',
    ],
    [
      'a pause of a day',
      {
        consumers: [
          { ...bookings, pending: 3, oldestSeconds: 90_000, paused: { ...pause, since: '2026-02-28T12:00:00.000Z' } },
        ],
      },
      'bookings is paused for 24 h: 3 messages wait (olga: it books twice). Next: cinema consumers resume bookings\n      page: run.md, "PauseForgotten"',
    ],
    [
      'a pause of five days',
      { consumers: [{ ...bookings, pending: 1, paused: { ...pause, since: '2026-02-25T12:00:00.000Z' } }] },
      'bookings is paused for 4 days, and its queue loses its oldest messages after seven days: 1 message waits (olga: it books twice). Next: cinema consumers resume bookings\n      page: run.md, "PauseLosesMessages"',
    ],
    [
      'an alarm',
      { alarms: { total: 40, active: [{ name: 'cinema-dev-Halls-X', heading: 'EventLost', description: '' }] } },
      'alarm EventLost is on (cinema-dev-Halls-X). Next: cinema doctor\n      page: run.md, "EventLost"',
    ],
    [
      'what can’t be read',
      { alarms: undefined as never, unread: ['alarms (AccessDenied)'] },
      "alarms (AccessDenied) can't be read, so they may hide something. Next: let the caller read CloudWatch: cloudwatch:GetMetricData, cloudwatch:DescribeAlarms, logs:DescribeLogGroups and logs:FilterLogEvents",
    ],
    [
      'a stack that is not deployed',
      { missingStacks: ['cinema-dev-Halls'] },
      'stack cinema-dev-Halls is not deployed, so nothing of it is counted. Next: deploy cinema-dev-Halls; if it was removed for good, deploy the stack of this API again',
    ],
  ])('%s', (_, facts, words) => {
    expect(verdict(facts)).toBe(`NOT HEALTHY: ${words}`);
    expect(report(facts).exitCode).toBe(1);
  });

  test.each<[string, Partial<StatusFacts>]>([
    ['a relay', { relays: [{ service: 'halls', lagSeconds: 299, failed: 0, moreFailed: false }] }],
    ['a timer', { consumers: [{ ...saga, lateSeconds: 599 }] }],
    ['a sweeper', { sweepers: [{ service: 'halls', consumer: 'trips-saga', lastTick: '2026-03-01T11:50:01.000Z' }] }],
    ['a sweeper without a tick, while nothing is due', { sweepers: [{ service: 'halls', consumer: 'trips-saga' }] }],
    ['a function of which some calls fail', { failing: [sometimes] }],
    [
      'a pause, and what waits for it',
      { consumers: [{ ...bookings, oldestSeconds: 7200, paused: { ...pause, since: '2026-02-28T12:00:01.000Z' } }] },
    ],
    ['a queue', { consumers: [{ ...bookings, pending: 900, oldestSeconds: 3599 }] }],
  ])('the status says nothing before the alarm does: %s', (_, facts) => expect(verdict(facts)).toBe('HEALTHY'));

  test('lists the functions of which calls fail, each with its rate and its last error', () => {
    const [, , table] = report({ failing: [sometimes] }).text.split('\n\n');
    expect(table?.split('\n')).toEqual([
      'FAILED IN 10 MIN  CALLS  FAILED  RETRIED  OLDEST  GIVES UP IN',
      'halls/on-booking  12     5       0        66 s    11 min',
      '  2026-03-01T11:59:30.000Z Runtime.ExitError',
    ]);
  });

  test('a stack that is not deployed is among what was not read', () => {
    const { json } = report({ unread: ['alarms (AccessDenied)'], missingStacks: ['cinema-dev-Halls'] });
    expect(json.unread).toEqual(['alarms (AccessDenied)', 'stack cinema-dev-Halls (not deployed)']);
  });

  test('the status shows all problems, the most urgent first, with those of the application at the end', () => {
    const problem = { code: 'dark', text: 'the film is dark', next: 'ask' };
    const { text, json } = report(
      { consumers: [{ ...saga, stuck: 1, failed: 1 }] },
      { sections: [{ name: 'films', rows: [['films', '3']], json: {}, problems: [problem] }] },
    );
    expect(text.split('\n').slice(0, 7)).toEqual([
      'NOT HEALTHY: 1 saga of trips-saga is stuck. Next: cinema sagas list',
      'also: 1 message failed (trips-saga)',
      '      cinema failures groups --consumer trips-saga',
      'also: the film is dark',
      '      ask',
      '',
      'films         3',
    ]);
    expect((json as { problems: { code: string }[] }).problems.map(({ code }) => code)).toEqual([
      'saga-stuck',
      'failures',
      'dark',
    ]);
  });

  test('a status without a runbook names the alarm of the kit', () => {
    const advising = { command: commandFormatter('cinema') };
    const facts = { ...QUIET, consumers: [{ ...saga, lateSeconds: 900 }] };
    expect(findProblems(facts, advising)[0]).toMatchObject({
      next: 'cinema sagas list',
      page: 'see the alarm TimersLate',
    });
  });
});

test('an alarm is named by the beginning of its description', () => {
  const described = [
    { AlarmName: 'b', AlarmDescription: 'RelayBehind: commits wait.', StateValue: 'ALARM' },
    { AlarmName: 'a', StateValue: 'ALARM', StateUpdatedTimestamp: new Date(0) },
    { AlarmName: 'c', AlarmDescription: 'QueueBehind: no.', StateValue: 'OK' },
  ];
  expect(toAlarms(described)).toEqual({
    total: 3,
    active: [
      { name: 'a', heading: 'a', description: '', since: '1970-01-01T00:00:00.000Z' },
      { name: 'b', heading: 'RelayBehind', description: 'RelayBehind: commits wait.' },
    ],
  });
});

test('a watched result is shown until it is the last one', async () => {
  const drawn: string[] = [];
  let looks = 0;
  const look = async () => ({ exitCode: 0 as const, text: `look ${++looks}`, json: {} });
  const screen = { draw: (text: string) => drawn.push(text), wait: async () => undefined };
  const last = await watchOutcome(look, screen, ({ text }) => text === 'look 3');
  expect(last.text).toBe('look 3');
  expect(drawn).toEqual(['look 1', 'look 2', '']);
});
