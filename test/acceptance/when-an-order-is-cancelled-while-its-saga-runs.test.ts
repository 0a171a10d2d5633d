import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { customerWith } from './accounts.js';
import { becomes, cancel, line, placed, stocked } from './orders.js';
import { givenBack, NOTHING, sagaHas, sagaOf, standingOf } from './sagas.js';
import type { FunctionName } from './world.js';

/**
 * Returns the end of a step's id as it is in the text of a commit. The id of the step's compensation ends differently.
 */
const step = (name: string) => `/${name}\\"`;

interface Stage {
  readonly name: string;
  /** Calls that are held back until the cancellation is done: those of this function that contain this text. */
  readonly held: {
    readonly fn: FunctionName;
    readonly operation?: string;
    readonly including: (sku: string) => string;
  };
  /** Commands that its saga has sent in the end. */
  readonly sent: readonly string[];
  /** @default none */
  readonly charged?: true;
}

const STEPS = ['ConfirmPrices', 'AuthorizeAccount', 'ReserveStock', 'ChargePayment'];
const UNDOING = ['RefundPayment', 'ReleaseStock', 'ReleaseAuthorization'];

const STAGES: readonly Stage[] = [
  {
    name: 'its saga has begun',
    held: { fn: 'orders/on-saga-message', including: (sku) => sku },
    sent: [],
  },
  {
    name: 'its prices are confirmed',
    held: { fn: 'catalog/on-command', operation: 'BatchGetItem', including: (sku) => sku },
    sent: STEPS.slice(0, 1),
  },
  {
    name: 'its credit is held',
    held: { fn: 'accounts/on-command', including: () => step('authorize-account') },
    sent: [...STEPS.slice(0, 2), ...UNDOING.slice(2)],
  },
  {
    name: 'its stock is reserved',
    held: { fn: 'inventory/on-command', including: () => step('reserve-stock') },
    sent: [...STEPS.slice(0, 3), ...UNDOING.slice(1)],
  },
  {
    name: 'its payment is asked for',
    held: { fn: 'payments/on-command', including: () => step('charge-payment') },
    sent: [...STEPS, ...UNDOING],
  },
  {
    name: 'its payment is charged',
    held: { fn: 'payments/charge-at-sandbox', including: () => ':charge' },
    sent: [...STEPS, ...UNDOING],
  },
  {
    name: 'it is approved',
    held: { fn: 'orders/on-saga-message', including: () => 'OrderApproved' },
    sent: [...STEPS, ...UNDOING],
    charged: true,
  },
];

const isCommand = (type: string) => STEPS.includes(type) || UNDOING.includes(type);

/** Places an order of a customer and a SKU of its own. */
async function order(pieces: number) {
  const [sku, customer] = [await stocked(10), await customerWith(100_000)];
  return { sku, customer, place: () => placed([line(sku, pieces)], { as: { customer } }) };
}

afterEach(() => world.heal());

describe.skipIf(!world.makesFaults)(`when an order is cancelled while its saga runs ${needsFaults}`, () => {
  for (const { name, held, sent, charged } of STAGES) {
    const decidedByItself = world.takesTime || held.fn !== 'accounts/on-command';
    test.skipIf(!decidedByItself)(
      `a cancellation before ${name} makes its saga compensate, and no service keeps anything`,
      async () => {
        const { sku, customer, place } = await order(2);
        const { fn, operation = 'TransactWriteItems', including } = held;
        await world.throttle(fn, operation, { including: including(sku), times: 1000 });
        const one = await place();
        await world.faultsMet();
        const cancelled = await cancel(one.orderId, { as: { customer } });
        expect(cancelled).toMatchObject({ status: 200, body: { status: 'CANCELLED', version: 2 } });
        // The saga does not wait for steps that it no longer needs.
        await sagaHas(one.orderId, 'SagaCompensated');
        await world.heal();
        expect(await standingOf(one)).toEqual({
          order: 'CANCELLED',
          saga: 'SagaCompensated',
          ...NOTHING,
          ...(charged && { money: givenBack(700) }),
        });
        expect((await sagaOf(one.orderId)).filter(isCommand)).toEqual(sent);
        const [event] = await world.events({ aggregate: 'Order', id: one.orderId, types: ['OrderCancelled'] });
        expect(event!.data).toMatchObject({ underWay: true });
      },
    );
  }

  test('a cancellation before its approval is handled makes that message start the compensation', async () => {
    const { customer, place } = await order(2);
    // The approval is retried soon. The cancellation does not reach the bus.
    await world.throttle('orders/on-saga-message', 'TransactWriteItems', { including: 'OrderApproved', times: 6 });
    const one = await place();
    await world.faultsMet();
    const match = { detailType: 'OrderCancelled', including: customer };
    await world.failEntries(match, { errorCode: 'InternalFailure', times: 1000 });
    await cancel(one.orderId, { as: { customer } });
    await sagaHas(one.orderId, 'SagaFailed');
    // Later entries may wait behind a refused one.
    await world.heal();
    await sagaHas(one.orderId, 'SagaCompensated');
    expect(await standingOf(one)).toEqual({
      order: 'CANCELLED',
      saga: 'SagaCompensated',
      ...NOTHING,
      money: givenBack(700),
    });
    const ofSaga = await world.events({ aggregate: 'CreateOrderSaga', id: one.orderId, types: ['SagaFailed'] });
    const [answer] = await world.events({ aggregate: 'Payment', id: one.orderId, types: ['SagaReplyRequested'] });
    expect(ofSaga).toMatchObject([{ data: { ending: { cause: 'CANCELLED' } }, causationid: answer!.id }]);
  });

  const inTime = test.skipIf(!world.takesTime);
  inTime('after its approval, before its account receives either event: the credit is released once', async () => {
    const { customer, place } = await order(2);
    // The charge is held as well: an account that it changed a moment ago would take its lane for the approval.
    for (const fn of ['accounts/on-order-event', 'accounts/on-payment-event'] as const)
      await world.throttle(fn, 'TransactWriteItems', { including: customer, times: 1000 });
    const one = await place();
    await becomes(one.orderId, 'APPROVED');
    await world.faultsMet();
    await cancel(one.orderId, { as: { customer } });
    await world.heal();
    const { account, ...others } = await standingOf(one);
    expect(others).toEqual({ order: 'CANCELLED', saga: 'SagaCompleted', reserved: 0, money: givenBack(700) });
    expect(account.authorized).toBe(0);
    expect(account.refunded).toBe(account.captured);
  });
});
