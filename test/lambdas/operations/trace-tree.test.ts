import { describe, expect, test } from 'vitest';
import type { Delivery, EventReport } from '../../../lambdas/operations/deliveries.js';
import {
  buildTree,
  collectMessages,
  findNode,
  formatElapsed,
  formatTree,
} from '../../../lambdas/operations/trace-tree.js';
import type { ConsumerDescription } from '../../../packages/kit/base/outputs.js';
import type { Service } from '../../../packages/operator/deployment/services.js';

const consumer = (name: string, more: Partial<ConsumerDescription> = {}) =>
  ({ name, projection: false, ...more }) as ConsumerDescription;
const service = (name: string, ...consumers: readonly ConsumerDescription[]): Service => ({
  name,
  table: name,
  records: name,
  relay: name,
  feedShards: [],
  consumers,
});
const SERVICES = [
  service(
    'orders',
    consumer('orders-list', { projection: true }),
    consumer('orders-users'),
    consumer('orders-saga', { saga: 'CreateOrderSaga' }),
  ),
  service('stock', consumer('stock-commands')),
];

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1) + seconds * 1000).toISOString();
const delivery = (consumer: string, service: string, more: Partial<Delivery> = {}): Delivery => ({
  consumer,
  service,
  state: 'processed',
  messageId: consumer,
  ...more,
});
const message = (id: string, trigger: string, more: Partial<EventReport>): EventReport => ({
  service: 'orders',
  subject: 'Order/1',
  id,
  version: 1,
  type: 'OrderPlaced',
  at: at(0),
  trigger,
  correlationId: 'c',
  deliveries: [],
  ...more,
});

const PLACED = message('00000000-placed', 'request-1', {
  deliveries: [
    delivery('orders-list', 'orders', { at: at(0.3) }),
    delivery('orders-users', 'orders'),
    delivery('orders-saga', 'orders', { at: at(0.5) }),
  ],
});
const STARTED = message('00000000-started', PLACED.id, {
  subject: 'CreateOrderSaga/1',
  type: 'SagaStarted',
  at: at(0.5),
});
const RESERVE = message('00000000-reserve', PLACED.id, {
  subject: 'CreateOrderSaga/1',
  type: 'ReserveStock',
  to: 'stock',
  at: at(0.5),
  deliveries: [delivery('stock-commands', 'stock', { state: 'failed', at: at(70), attempts: 8, reason: 'TypeError' })],
});
const LATER = message('00000000-noticed', PLACED.id, { subject: 'Copy/1', type: 'Noticed', at: at(1) });
const TIMED = message('00000000-timeout', 'timer-1', { subject: 'CreateOrderSaga/1', type: 'SagaFailed', at: at(300) });
const ALL = [PLACED, STARTED, RESERVE, LATER, TIMED];

describe('the tree of messages', () => {
  const roots = buildTree(ALL, SERVICES);

  test('begins with what no message in sight has caused, and keeps every message once', () => {
    expect(roots.map(({ message }) => message.type)).toEqual(['OrderPlaced', 'SagaFailed']);
    expect(
      collectMessages(roots)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ALL.map(({ id }) => id).toSorted());
  });

  test('puts what a saga has committed under its consumer, and nothing under a projection', () => {
    const hops = roots[0]?.hops.map((hop) => [hop.delivery.consumer, hop.followed.map(({ message }) => message.type)]);
    expect(hops).toEqual([
      ['orders-list', []],
      ['orders-users', ['Noticed']],
      ['orders-saga', ['SagaStarted', 'ReserveStock']],
    ]);
  });

  test('keeps what no consumer in sight can have committed under its cause', () => {
    const foreign = message('x', PLACED.id, { service: 'elsewhere', type: 'Copied' });
    expect(buildTree([PLACED, foreign], SERVICES)[0]?.others.map(({ message }) => message.type)).toEqual(['Copied']);
  });

  test('finds a message anywhere', () => {
    expect(findNode(roots, RESERVE.id)?.message).toBe(RESERVE);
    expect(findNode(roots, 'nobody')).toBeUndefined();
  });

  test('the tree is drawn with times from its beginning, attempts, outcomes and short ids', () =>
    expect(formatTree(roots, { verbose: false }).split('\n')).toEqual([
      'caused by equest-1, 2026-03-01T00:00:00.000Z',
      'OrderPlaced  Order 1  +0 ms  0-placed',
      '├─ orders-list: processed  +300 ms',
      '├─ orders-users: processed',
      '│  └─ Noticed  Copy 1  +1.0 s  -noticed',
      '└─ orders-saga: processed  +500 ms',
      '   ├─ SagaStarted  CreateOrderSaga 1  +500 ms  -started',
      '   └─ ReserveStock to stock  +500 ms  -reserve',
      '      └─ stock-commands: FAILED  +70 s  8 attempts  TypeError',
      '',
      'caused by timer-1, 2026-03-01T00:05:00.000Z',
      'SagaFailed  CreateOrderSaga 1  +5 min  -timeout',
    ]));

  test('the tree has full ids and times on request', () => {
    const text = formatTree(roots, { verbose: true });
    expect(text).toContain('caused by request-1, ');
    expect(text).toContain(`OrderPlaced  Order 1  ${at(0)}  00000000-placed\n`);
  });
});

test.each([
  [0.04, '+40 ms'],
  [-0.04, '+-40 ms'],
  [1.24, '+1.2 s'],
  [59.9, '+59.9 s'],
  [60, '+60 s'],
  [600, '+10 min'],
])('%s seconds are %s', (seconds, text) => expect(formatElapsed(at(0), at(seconds))).toBe(text));
