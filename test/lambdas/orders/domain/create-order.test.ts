import { describe, expect, test } from 'vitest';
import { createOrderSaga, type Refusal, toOrderCommand } from '../../../../lambdas/orders/domain/create-order.js';
import type { CreateOrder, CreateOrderEvent } from '../../../../lambdas/orders/saga-contract.js';
import { type SagaMessage, SagaRefused, decide as sagaDecides } from '../../../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../../../packages/kit/saga/state.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const orderOf = (unitPrice: number): CreateOrder => ({
  orderId: 'o1',
  customerId: 'bob',
  lines: [{ sku: 'TEA-1', quantity: 2, unitPrice: eur(unitPrice) }],
  total: eur(2 * unitPrice),
});
const reply = (step: string, outcome: 'DONE' | 'REFUSED', reason?: string, subjects?: string[]) =>
  ({ type: 'Reply', stepId: `o1/${step}`, outcome, ...(reason && { reason }), ...(subjects && { subjects }) }) as const;
const done = (step: string) => reply(step, 'DONE');
const STEPS = ['confirm-prices', 'authorize-account', 'reserve-stock', 'charge-payment'];

/** Result of the newest message. */
function told(...messages: readonly SagaMessage<CreateOrder>[]) {
  let state: SagaState<CreateOrder> = initialState;
  let now = '2026-03-01T00:00:00.000Z';
  let events: readonly CreateOrderEvent[] = [];
  let commands: readonly { readonly type: string; readonly data: unknown }[] = [];
  const hear = (message: SagaMessage<CreateOrder>) => {
    const decided = sagaDecides(createOrderSaga, 'o1', state, message, now);
    events = decided.events;
    commands = decided.commands.map(({ command }) => command);
    state = events.reduce(evolve<CreateOrder>, state);
  };
  for (const message of messages) hear(message);
  const waits = () => state.status === 'RUNNING';
  return {
    commands: () => commands,
    state: () => state,
    order: (refusal: Refusal = {}) => toOrderCommand(events, refusal),
    untilGivenUp() {
      while (waits()) {
        now = state.timerAt ?? now;
        hear({ type: 'Timeout', number: state.timers });
      }
      return toOrderCommand(events, {});
    },
  };
}
const placed = (unitPrice = 350): SagaMessage<CreateOrder> => ({ type: 'Start', data: orderOf(unitPrice) });

describe('each step', () => {
  const step = { orderId: 'o1', customerId: 'bob' };
  test.each([
    ['ConfirmPrices', 0, { orderId: 'o1', lines: [{ sku: 'TEA-1', unitPrice: eur(350) }] }],
    ['AuthorizeAccount', 1, { ...step, amount: eur(700) }],
    ['ReserveStock', 2, { orderId: 'o1', lines: [{ sku: 'TEA-1', quantity: 2 }] }],
    ['ChargePayment', 3, { ...step, amount: eur(700) }],
  ])('%s says what its participant needs, and which step it is', (type, steps, data) => {
    const { commands } = told(placed(), ...STEPS.slice(0, steps).map(done));
    expect(commands()).toEqual([{ type, data: { ...data, stepId: `o1/${STEPS[steps]}` } }]);
  });
});

describe('an order', () => {
  test('an order is approved with the last step', () =>
    expect(told(placed(), ...STEPS.map(done)).order()).toEqual({ type: 'Approve' }));
  test('an order that costs nothing is approved without a charge', () =>
    expect(told(placed(0), ...STEPS.slice(0, 3).map(done)).order()).toEqual({ type: 'Approve' }));
  test.each([
    ['confirm-prices', 'PRICE_CHANGED', 'PRICE_CHANGED'],
    ['confirm-prices', 'UNKNOWN_PRODUCT', 'UNKNOWN_PRODUCT'],
    ['authorize-account', 'OVER_LIMIT', 'OVER_LIMIT'],
    ['authorize-account', 'RELEASED', 'STEP_REFUSED'],
    ['reserve-stock', 'OUT_OF_STOCK', 'OUT_OF_STOCK'],
    ['charge-payment', 'CARD_EXPIRED', 'PAYMENT_DECLINED'],
  ])('an order whose step %s is refused with %s is rejected with %s', (step, reason, rejected) => {
    const before = STEPS.slice(0, STEPS.indexOf(step)).map(done);
    const { order } = told(placed(), ...before, reply(step, 'REFUSED', reason, ['TEA-1']));
    expect(order()).toMatchObject({ type: 'Reject', reason: rejected });
  });
  test('an order gets the lines that it was refused for', () =>
    expect(told(placed(), reply('confirm-prices', 'REFUSED', 'PRICE_CHANGED', ['TEA-1'])).order()).toMatchObject({
      skus: ['TEA-1'],
    }));
  test('an order gets the present prices of its lines', () => {
    const prices = [{ sku: 'TEA-1', unitPrice: eur(400) }];
    const { order } = told(placed(), reply('confirm-prices', 'REFUSED', 'PRICE_CHANGED', ['TEA-1']));
    expect(order({ prices })).toEqual({ type: 'Reject', reason: 'PRICE_CHANGED', skus: ['TEA-1'], prices });
  });
  test('an order gets the reached limit of its customer, and ignores one that this release does not know', () => {
    const { order } = told(placed(), done('confirm-prices'), reply('authorize-account', 'REFUSED', 'OVER_LIMIT'));
    const rejected = { type: 'Reject', reason: 'OVER_LIMIT', skus: [] };
    expect(order({ limit: 'ORDERS_UNDER_WAY' })).toEqual({ ...rejected, limit: 'ORDERS_UNDER_WAY' });
    expect(order({ limit: 'ORDERS_PER_YEAR' })).toEqual(rejected);
  });
  test.each(STEPS)('an order whose step %s is never answered is rejected', (step) =>
    expect(told(placed(), ...STEPS.slice(0, STEPS.indexOf(step)).map(done)).untilGivenUp()).toEqual({
      type: 'Reject',
      reason: 'TIMED_OUT',
      skus: [],
    }),
  );
  test('a cancelled order stays cancelled', () => expect(told(placed(), { type: 'Cancel' }).order()).toBeUndefined());
  test('an order is not changed by a step on the way', () =>
    expect(told(placed(), done('confirm-prices')).order()).toBeUndefined());
});

describe('a saga of each status', () => {
  /** Messages of operators and of the order's routes, which may lead out of a status. */
  const MESSAGES = {
    'the order is cancelled, or rejected by its review': { type: 'Cancel' },
    'its review ends well': { type: 'Release' },
    'sagas retry': { type: 'Retry' },
    'sagas resolve': { type: 'Resolve', step: 'reserve-stock', by: 'an operator', note: 'released by hand' },
  } as const satisfies Record<string, SagaMessage<CreateOrder>>;
  const toCharge = STEPS.slice(0, 3).map(done);
  const stuck: readonly SagaMessage<CreateOrder>[] = [
    placed(),
    ...toCharge,
    reply('charge-payment', 'REFUSED'),
    { type: 'Reply', stepId: 'o1/reserve-stock/undo', outcome: 'REFUSED' },
  ];
  const HELD = { ...toCharge[2]!, holdBefore: 'charge-payment' } as const;

  test.each<
    [string, SagaState<CreateOrder>['status'], readonly SagaMessage<CreateOrder>[], readonly (keyof typeof MESSAGES)[]]
  >([
    ['not begun', 'NONE', [], ['the order is cancelled, or rejected by its review']],
    // A command that was sent again is the same step.
    [
      'waits for an answer',
      'RUNNING',
      [placed()],
      ['the order is cancelled, or rejected by its review', 'sagas retry'],
    ],
    [
      'held for a review',
      'RUNNING',
      [placed(), ...toCharge.slice(0, 2), HELD],
      ['the order is cancelled, or rejected by its review', 'its review ends well'],
    ],
    ['compensates', 'COMPENSATING', stuck.slice(0, -1), ['sagas retry']],
    ['stuck', 'STUCK', stuck, ['sagas retry', 'sagas resolve']],
    // Ends.
    ['completed', 'COMPLETED', [placed(), ...STEPS.map(done)], []],
    ['compensated', 'COMPENSATED', [{ type: 'Cancel' }], []],
  ])('%s has these ways out', (_, status, messages, ways) => {
    const state = told(...messages).state();
    expect(state.status).toBe(status);
    const leads = Object.entries(MESSAGES).filter(([, message]) => {
      try {
        return sagaDecides(createOrderSaga, 'o1', state, message, '2026-03-01T00:00:30.000Z').events.length > 0;
      } catch (error) {
        if (error instanceof SagaRefused) return false;
        throw error;
      }
    });
    expect(leads.map(([name]) => name)).toEqual(ways);
  });
});
