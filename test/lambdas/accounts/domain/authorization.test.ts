import { describe, expect, test } from 'vitest';
import type { AccountCommand, AccountEvent } from '../../../../lambdas/accounts/contract.js';
import { toView } from '../../../../lambdas/accounts/domain/account.js';
import {
  authorizationDecider,
  commandForOrderEnd,
  computeUsed,
  decide,
  evolve,
  type Facts,
  initialState,
  type PaymentCommand,
} from '../../../../lambdas/accounts/domain/authorization.js';
import type { Now } from '../../../../packages/kit/decider/decider.js';
import { given } from '../../../../packages/kit/testing/given.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const now = '2026-03-01T10:15:00.000Z';
const limits = { ordersUnderWay: 3, ordersPerHour: 5 };
const context = { defaultCreditLimit: eur(1000), limits: { ordersUnderWay: 100, ordersPerHour: 300 }, now };
const order = given(authorizationDecider, context);

const step = (name: string) => ({ customerId: 'c1', orderId: 'o1', stepId: `o1/${name}` });
const authorize = (amount: number): AccountCommand => ({
  type: 'AuthorizeAccount',
  data: { ...step('authorize'), amount: eur(amount) },
});
const capture: AccountCommand = { type: 'CaptureAuthorization', data: step('capture') };
const release: AccountCommand = { type: 'ReleaseAuthorization', data: step('release') };
const refund = (refundId: string, amount: number): AccountCommand => ({
  type: 'RefundAccount',
  data: { ...step('refund'), refundId, amount: eur(amount) },
});

const opened: AccountEvent = { type: 'AccountOpened', data: { customerId: 'c1', creditLimit: eur(1000) } };
const authorized: AccountEvent = {
  type: 'AccountAuthorized',
  data: { ...step('authorize'), amount: eur(600), at: now },
};
const declined: AccountEvent = {
  type: 'AuthorizationDeclined',
  data: { ...step('authorize'), amount: eur(1001), reason: 'OVER_LIMIT' },
};
const captured: AccountEvent = { type: 'AuthorizationCaptured', data: { ...step('capture'), amount: eur(600) } };
const released: AccountEvent = { type: 'AuthorizationReleased', data: { ...step('release'), amount: eur(600) } };
const voided: AccountEvent = { type: 'AuthorizationVoided', data: step('release') };
const refunded = (refundId: string, amount: number): AccountEvent => ({
  type: 'AccountRefunded',
  data: { ...step('refund'), refundId, amount: eur(amount) },
});
const done = (name: string): AccountEvent => ({ type: 'SagaReplyRequested', data: { ...step(name), outcome: 'DONE' } });
const refused = (name: string, reason: string): AccountEvent =>
  ({ type: 'SagaReplyRequested', data: { ...step(name), outcome: 'REFUSED', reason } }) as AccountEvent;

describe('an authorisation', () => {
  test('opens the account at the first order, with the default limit', () =>
    order([]).when(authorize(600)).then([opened, authorized]));
  test('takes all that is there', () =>
    order([opened])
      .when(authorize(1000))
      .then([{ type: 'AccountAuthorized', data: { ...step('authorize'), amount: eur(1000), at: now } }]));
  test('an amount above the limit is declined, and the account is open all the same', () =>
    order([]).when(authorize(1001)).then([opened, declined]));
  test('an authorisation of 0 passes, also without available credit', () =>
    order([opened, { type: 'CreditLimitSet', data: { customerId: 'c1', creditLimit: eur(0) } }])
      .when(authorize(0))
      .then([{ type: 'AccountAuthorized', data: { ...step('authorize'), amount: eur(0), at: now } }]));
  test("an authorisation in another currency than the account's is declined", () =>
    order([opened])
      .when({ type: 'AuthorizeAccount', data: { ...step('authorize'), amount: { amount: 1, currency: 'USD' } } })
      .then([
        {
          type: 'AuthorizationDeclined',
          data: { ...step('authorize'), amount: { amount: 1, currency: 'USD' }, reason: 'CURRENCY_MISMATCH' },
        },
      ]));
  test('an authorisation is made once: a repeat is answered', () =>
    order([opened, authorized])
      .when(authorize(600))
      .then([done('authorize')]));
  test('an authorisation that was captured meanwhile was made', () =>
    order([opened, authorized, captured])
      .when(authorize(600))
      .then([done('authorize')]));
  test('a declined authorisation stays declined, also when the limit is higher by now', () =>
    order([opened, declined, { type: 'CreditLimitSet', data: { customerId: 'c1', creditLimit: eur(5000) } }])
      .when(authorize(1001))
      .then([refused('authorize', 'OVER_LIMIT')]));
  test('a released authorisation is not made again', () =>
    order([opened, authorized, released])
      .when(authorize(600))
      .then([refused('authorize', 'RELEASED')]));
  test('an authorisation that comes after its release is refused', () =>
    order([voided])
      .when(authorize(600))
      .then([refused('authorize', 'RELEASED')]));
  test('an authorisation of the same order with another amount is refused', () =>
    order([opened, authorized]).when(authorize(601)).thenRefused('AMOUNT_DIFFERS'));
});

describe('a capture', () => {
  test('takes what is held', () => order([opened, authorized]).when(capture).then([captured]));
  test('happens once', () =>
    order([opened, authorized, captured])
      .when(capture)
      .then([done('capture')]));
  test.each([
    ['nothing', [], 'NOT_AUTHORIZED'],
    ['what was declined', [opened, declined], 'NOT_AUTHORIZED'],
    ['what was released', [opened, authorized, released], 'RELEASED'],
    ['what was voided', [voided], 'RELEASED'],
  ] as const)('a capture of %s is refused', (_, history, reason) =>
    order(history)
      .when(capture)
      .then([refused('capture', reason)]),
  );
});

describe('a release', () => {
  test('frees what is held', () => order([opened, authorized]).when(release).then([released]));
  test('a release that comes first leaves a tombstone, and opens no account', () =>
    order([]).when(release).then([voided]));
  test.each([
    ['released', [opened, authorized, released]],
    ['voided', [voided]],
    ['declined', [opened, declined]],
  ] as const)('a release of an authorisation that was %s is done', (_, history) =>
    order(history)
      .when(release)
      .then([done('release')]),
  );
  test('a release of a captured amount is refused: that is refunded', () =>
    order([opened, authorized, captured])
      .when(release)
      .then([refused('release', 'ALREADY_CAPTURED')]));
});

describe('a refund', () => {
  const taken = [opened, authorized, captured];
  test('gives back a part, or all', () => {
    order(taken)
      .when(refund('r1', 200))
      .then([refunded('r1', 200)]);
    order(taken)
      .when(refund('r1', 600))
      .then([refunded('r1', 600)]);
  });
  test('happens once by its id, whatever it is called', () => {
    order([...taken, refunded('r1', 200)])
      .when(refund('r1', 200))
      .then([done('refund')]);
    order(taken)
      .when(refund('constructor', 200))
      .then([refunded('constructor', 200)]);
    order([...taken, refunded('__proto__', 600)])
      .when(refund('__proto__', 600))
      .then([done('refund')]);
  });
  test('a refund with the same id and another amount is refused', () =>
    order([...taken, refunded('r1', 200)])
      .when(refund('r1', 201))
      .thenRefused('AMOUNT_DIFFERS'));
  test('several refunds together are never more than was captured', () =>
    order([...taken, refunded('r1', 200)])
      .when(refund('r2', 401))
      .then([refused('refund', 'OVER_CAPTURED')]));
  test('a refund in another currency is refused', () =>
    order(taken)
      .when({
        type: 'RefundAccount',
        data: { ...step('refund'), refundId: 'r1', amount: { amount: 1, currency: 'USD' } },
      })
      .then([refused('refund', 'CURRENCY_MISMATCH')]));
  test('a refund of an amount that was never captured is refused', () =>
    order([opened, authorized])
      .when(refund('r1', 1))
      .then([refused('refund', 'NOT_CAPTURED')]));
  test('a refund after a hundred others is refused: they have to fit into one item', () =>
    order([...taken, ...Array.from({ length: 100 }, (_, at) => refunded(`r${at}`, 1))])
      .when(refund('one more', 1))
      .then([refused('refund', 'TOO_MANY_REFUNDS')]));
});

describe('a payment that was charged', () => {
  const ids = { customerId: 'c1', orderId: 'o1' };
  const settle: PaymentCommand = { type: 'SettleOrder', data: ids };
  const settled = (amount: number): AccountEvent => ({ type: 'CreditSettled', data: { ...ids, amount: eur(amount) } });
  const held = [opened, authorized];
  const taken = [...held, captured];
  const withSettled = (event: AccountEvent, amount: number): AccountEvent =>
    ({ ...event, data: { ...event.data, settled: eur(amount) } }) as AccountEvent;

  test('settles what is held or captured', () => {
    order(held)
      .when(settle)
      .then([settled(600)]);
    order(taken)
      .when(settle)
      .then([settled(600)]);
  });
  test.each([
    ['held', held],
    ['captured', taken],
  ])('settles it once: %s', (_, history) =>
    order([...history, settled(600)])
      .when(settle)
      .then([]),
  );
  test('settles it once, if the capture came in between', () =>
    order([...held, settled(600), captured])
      .when(settle)
      .then([]));
  test.each([
    ['nothing', []],
    ['what was declined', [opened, declined]],
    ['what was released', [...held, released]],
    ['what was voided', [voided]],
  ])('settles nothing of %s', (_, history) => order(history).when(settle).then([]));
  test('settles what was not refunded before', () => {
    order([...taken, refunded('r1', 200)])
      .when(settle)
      .then([settled(400)]);
    order([...taken, refunded('r1', 600)])
      .when(settle)
      .then([]);
  });
  test('says in a later release or refund what was settled, so that it does not raise the credit again', () => {
    order([...held, settled(600)])
      .when(release)
      .then([withSettled(released, 600)]);
    order([...taken, settled(600)])
      .when(refund('r1', 200))
      .then([withSettled(refunded('r1', 200), 200)]);
    order([...taken, settled(600), withSettled(refunded('r1', 200), 200)])
      .when(refund('r2', 400))
      .then([withSettled(refunded('r2', 400), 400)]);
  });
  test('gives the whole order back once, if it is cancelled after some was refunded and the rest settled', () =>
    order([...taken, refunded('r1', 200), settled(400)])
      .when(refund('cancellation', 400))
      .then([withSettled(refunded('cancellation', 400), 400)]));
});

describe('an approved order, with approvals that settle', () => {
  const approve: PaymentCommand = { type: 'ApproveOrder', data: step('approved') };
  const settling = { ...context, settlesApproved: true };
  const settled: AccountEvent = { type: 'CreditSettled', data: { customerId: 'c1', orderId: 'o1', amount: eur(600) } };
  const taken = (settles?: number): AccountEvent => ({
    type: 'AuthorizationCaptured',
    data: { ...step('approved'), amount: eur(600), ...(settles === undefined ? {} : { settles: eur(settles) }) },
  });
  const decided = (history: readonly AccountEvent[], command: PaymentCommand, by: Facts & Now = settling) =>
    decide(history.reduce(evolve, initialState), command, by);

  test('is captured and settled by one event, so its customer has the credit again', () => {
    const history = [opened, authorized];
    const events = decided(history, approve);
    expect(events).toEqual([taken(600)]);
    const { account } = [...history, ...events].reduce(evolve, initialState);
    expect(account).toMatchObject({ authorized: 0, captured: 600, settled: 600, underWay: 0 });
  });
  test('is only captured, if its charge has settled it, or while a release that can’t read it may run', () => {
    expect(decided([opened, authorized, settled], approve)).toEqual([taken()]);
    expect(decided([opened, authorized], approve, context)).toEqual([taken()]);
  });
  test('is settled once: a charge that comes later settles nothing', () =>
    expect(
      decided([opened, authorized, taken(600)], { type: 'SettleOrder', data: { customerId: 'c1', orderId: 'o1' } }),
    ).toEqual([]));
  test('gives back what was settled without raising the credit again', () => {
    const back: PaymentCommand = {
      type: 'ReturnOrder',
      data: { customerId: 'c1', orderId: 'o1', refundId: 'r1', amount: eur(200) },
    };
    const refund = { ...step('returned'), refundId: 'r1', amount: eur(200), settled: eur(200) };
    expect(decided([opened, authorized, taken(600)], back)).toEqual([{ type: 'AccountRefunded', data: refund }]);
    expect(decided([opened, authorized], back)).toEqual([
      { type: 'AuthorizationCaptured', data: { ...step('returned'), amount: eur(600), settles: eur(600) } },
      { type: 'AccountRefunded', data: refund },
    ]);
  });
  test('settles nothing that was released before', () =>
    expect(decided([opened, authorized, released], approve)).toEqual([refused('approved', 'RELEASED')]));
});

describe('goods that came back', () => {
  const ids = { customerId: 'c1', orderId: 'o1' };
  const settled: AccountEvent = { type: 'CreditSettled', data: { ...ids, amount: eur(600) } };
  const back: PaymentCommand = { type: 'ReturnOrder', data: { ...ids, refundId: 'r1', amount: eur(200) } };
  const given = (more: object = {}): AccountEvent => ({
    type: 'AccountRefunded',
    data: { ...step('returned'), refundId: 'r1', amount: eur(200), ...more },
  });
  const taken: AccountEvent = { type: 'AuthorizationCaptured', data: { ...step('returned'), amount: eur(600) } };

  test('returned goods are refunded, and raise no credit that the payment has settled', () =>
    order([opened, authorized, settled, captured])
      .when(back)
      .then([given({ settled: eur(200) })]));
  test('returned goods are refunded once', () =>
    order([opened, authorized, settled, captured, given({ settled: eur(200) })])
      .when(back)
      .then([done('returned')]));
  test('a refund that comes before the approval captures the order first', () => {
    order([opened, authorized, settled])
      .when(back)
      .then([taken, given({ settled: eur(200) })]);
    order([opened, authorized, settled, taken, given({ settled: eur(200) })])
      .when(capture)
      .then([done('capture')]);
  });
  test('returned goods of an order that was never authorised are ignored', () =>
    order([])
      .when(back)
      .then([refused('returned', 'NOT_CAPTURED')]));
});

describe('any commands in any order, any of them again', () => {
  test('keep the account within its limit, and each order within what it was authorised for', () => {
    for (let seed = 1; seed <= 300; seed++) play(seed);
  });
});

/** Commands about eight orders of one account, thrown by a dice of its own. */
function play(seed: number): void {
  const roll = dice(seed);
  const facts = new Map<string, AccountEvent[]>();
  let account = initialState.account;
  const sent: (AccountCommand | PaymentCommand)[] = [];
  for (let count = 0; count < 60; count++) {
    const again = sent[roll(sent.length * 2)];
    const command = again ?? commandOf(roll);
    sent.push(command);
    const { orderId } = command.data;
    const history = facts.get(orderId) ?? [];
    const { authorization } = history.reduce(evolve, initialState);
    const events = decide({ account, authorization }, command, context);
    if (command.type !== 'SettleOrder') expect(events.length).toBeGreaterThan(0);
    facts.set(orderId, [...history, ...events]);
    account = events.reduce(evolve, { account, authorization }).account;
    const view = toView('c1', account, 1);
    if (!view) continue;
    // The limit = what is available + what is held or captured and not settled, order by order.
    const used = [...facts.values()].reduce(
      (sum, all) => sum + computeUsed(all.reduce(evolve, initialState).authorization),
      0,
    );
    expect(used, `seed ${seed}`).toBeLessThanOrEqual(1000);
    expect(view.available.amount).toBe(1000 - used);
    expect(view.authorized.amount).toBeGreaterThanOrEqual(0);
  }
  for (const events of facts.values()) {
    const times = (type: string) => events.filter((event) => event.type === type).length;
    const both = times('AuthorizationCaptured') + times('AuthorizationReleased');
    expect(times('AccountAuthorized') + times('AuthorizationVoided')).toBeLessThanOrEqual(1);
    expect(both).toBeLessThanOrEqual(times('AccountAuthorized'));
    const given = events.flatMap((event) => (event.type === 'AccountRefunded' ? [event.data] : []));
    expect(new Set(given.map(({ refundId }) => refundId)).size).toBe(given.length);
    const held = events.find((event) => event.type === 'AuthorizationCaptured')?.data.amount.amount ?? 0;
    expect(given.reduce((sum, { amount }) => sum + amount.amount, 0)).toBeLessThanOrEqual(held);
    expect(times('CreditSettled')).toBeLessThanOrEqual(1);
  }
}

type Roll = (sides: number) => number;

function commandOf(roll: Roll): AccountCommand | PaymentCommand {
  const orderId = `o${roll(8)}`;
  const data = { customerId: 'c1', orderId, stepId: `${orderId}/step` };
  const kinds: readonly (AccountCommand | PaymentCommand)[] = [
    // An order's amount is its own: another one with the same id would be refused.
    { type: 'AuthorizeAccount', data: { ...data, amount: eur(100 + 37 * Number(orderId.slice(1))) } },
    { type: 'CaptureAuthorization', data },
    { type: 'ReleaseAuthorization', data },
    { type: 'RefundAccount', data: { ...data, refundId: `r${roll(3)}`, amount: eur(60) } },
    { type: 'ApproveOrder', data },
    { type: 'SettleOrder', data: { customerId: 'c1', orderId } },
    { type: 'ReturnOrder', data: { customerId: 'c1', orderId, refundId: `returned-${roll(2)}`, amount: eur(50) } },
  ];
  return kinds[roll(kinds.length)]!;
}

/** Park and Miller's generator: the same throws for the same seed. */
function dice(seed: number): Roll {
  let state = seed;
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647;
    return sides === 0 ? 0 : state % sides;
  };
}

describe('the end of an order', () => {
  const ids = { orderId: 'o1', customerId: 'c1' };
  const leadsTo = (how: 'APPROVED' | 'CANCELLED', ...history: AccountEvent[]) => {
    const state = history.reduce(evolve, initialState);
    return decide(state, commandForOrderEnd(state.authorization, { ...ids, how }), context).map(({ type, data }) => ({
      type,
      ...('amount' in data && { amount: data.amount.amount }),
      ...('outcome' in data && { outcome: data.outcome }),
    }));
  };
  const step = { ...ids, stepId: 'o1/step' };
  const authorized: AccountEvent = { type: 'AccountAuthorized', data: { ...step, amount: eur(600) } };
  const captured: AccountEvent = { type: 'AuthorizationCaptured', data: { ...step, amount: eur(600) } };
  const released: AccountEvent = { type: 'AuthorizationReleased', data: { ...step, amount: eur(600) } };
  const refunded = (refundId: string, amount: number): AccountEvent => ({
    type: 'AccountRefunded',
    data: { ...step, refundId, amount: eur(amount) },
  });

  test('an approved order has its held amount captured', () =>
    expect(leadsTo('APPROVED', authorized)).toEqual([{ type: 'AuthorizationCaptured', amount: 600 }]));
  test('a cancelled order has its held amount released, and its captured amount refunded', () => {
    expect(leadsTo('CANCELLED', authorized)).toEqual([{ type: 'AuthorizationReleased', amount: 600 }]);
    expect(leadsTo('CANCELLED', authorized, captured)).toEqual([{ type: 'AccountRefunded', amount: 600 }]);
    expect(leadsTo('CANCELLED', authorized, captured, refunded('r1', 200))).toEqual([
      { type: 'AccountRefunded', amount: 400 },
    ]);
  });
  test('an order that is cancelled before its approval arrives has nothing captured any more', () =>
    expect(leadsTo('APPROVED', authorized, released)).toEqual([{ type: 'SagaReplyRequested', outcome: 'REFUSED' }]));
  test('an order that is cancelled twice is refunded once', () =>
    expect(leadsTo('CANCELLED', authorized, captured, refunded('r1', 200), refunded('cancellation', 400))).toEqual([
      { type: 'SagaReplyRequested', outcome: 'DONE' },
    ]));
});

describe('the limits of a customer', () => {
  const limited = { ...context, limits };
  const of = (orderId: string) => ({ customerId: 'c1', orderId, stepId: `${orderId}/authorize` });
  const held = (orderId: string, at: string | undefined = now): AccountEvent => ({
    type: 'AccountAuthorized',
    data: { ...of(orderId), amount: eur(1), ...(at === undefined ? {} : { at }) },
  });
  const ended = (orderId: string, type: 'AuthorizationCaptured' | 'AuthorizationReleased'): AccountEvent => ({
    type,
    data: { ...of(orderId), amount: eur(1) },
  });
  /** Returns the answer to one more order, if all these events are of others. */
  const oneMore = (history: readonly AccountEvent[], at = now, credit = 1000) => {
    const { account } = [opened, ...history].reduce(evolve, initialState);
    const command: AccountCommand = { type: 'AuthorizeAccount', data: { ...of('more'), amount: eur(credit) } };
    const state = { account, authorization: initialState.authorization };
    const [event] = decide(state, command, { ...limited, now: at });
    return event?.type === 'AuthorizationDeclined' ? (event.data.limit ?? event.data.reason) : event?.type;
  };
  const three = ['a', 'b', 'c'].map((id) => held(id));

  test('the limits let as many orders be under way as they say', () => {
    expect(oneMore(three.slice(1), now, 1)).toBe('AccountAuthorized');
    expect(oneMore(three, now, 1)).toBe('ORDERS_UNDER_WAY');
  });
  test.each(['AuthorizationCaptured', 'AuthorizationReleased'] as const)(
    'the limits do not count an order that has ended: %s',
    (type) => expect(oneMore([...three, ended('b', type)], now, 1)).toBe('AccountAuthorized'),
  );
  test('count what an earlier release has authorised without a time as under way', () =>
    expect(
      oneMore(
        ['a', 'b', 'c'].map((id) => held(id, undefined)),
        now,
        1,
      ),
    ).toBe('ORDERS_UNDER_WAY'));
  test('the credit is checked before the limits, since a customer can correct that', () =>
    expect(oneMore(three)).toBe('OVER_LIMIT'));

  const five = ['a', 'b', 'c', 'd', 'e'].flatMap((id) => [held(id), ended(id, 'AuthorizationCaptured')]);
  test('the limits let as many orders be authorised in an hour as they say, whatever became of them', () => {
    expect(oneMore(five.slice(2), now, 1)).toBe('AccountAuthorized');
    expect(oneMore(five, now, 1)).toBe('ORDERS_PER_HOUR');
    expect(oneMore(five, '2026-03-01T10:59:59.999Z', 1)).toBe('ORDERS_PER_HOUR');
  });
  test('start again with each clock hour', () => {
    expect(oneMore(five, '2026-03-01T11:00:00.000Z', 1)).toBe('AccountAuthorized');
    const next = held('f', '2026-03-01T11:00:00.000Z');
    const way = [...five, next, ended('f', 'AuthorizationReleased')];
    expect(oneMore(way, '2026-03-01T11:01:00.000Z', 1)).toBe('AccountAuthorized');
  });
  test('count an order of a clock that runs behind in the newest hour: no limit is forgotten by it', () => {
    const late = five.map((event) =>
      event.type === 'AccountAuthorized' && event.data.orderId !== 'a'
        ? { ...event, data: { ...event.data, at: '2026-03-01T09:59:59.999Z' } }
        : event,
    );
    expect(oneMore(late, now, 1)).toBe('ORDERS_PER_HOUR');
    expect(oneMore(late, '2026-03-01T09:59:59.999Z', 1)).toBe('ORDERS_PER_HOUR');
  });
  test('decline an order for good: a repeat of the step gets the same limit', () => {
    const state = [opened, ...three].reduce(evolve, initialState);
    const command: AccountCommand = { type: 'AuthorizeAccount', data: { ...of('more'), amount: eur(1) } };
    const first = decide({ ...state, authorization: initialState.authorization }, command, limited);
    const after = first.reduce(evolve, { ...state, authorization: initialState.authorization });
    expect(decide(after, command, context)).toEqual([
      {
        type: 'SagaReplyRequested',
        data: { ...of('more'), outcome: 'REFUSED', reason: 'OVER_LIMIT', limit: 'ORDERS_UNDER_WAY' },
      },
    ]);
  });
});
