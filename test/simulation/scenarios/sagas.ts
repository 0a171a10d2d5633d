import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { type Call, Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, MINUTE, orderAt, placed, productOf, stocked } from './shop.js';

/** Amounts that select the sandbox's behaviour (`sandbox-amounts.ts`). */
const DECLINED = 40200;
const ANSWERED_LATE = 20200;
const TIMES_OUT = 50400;

const limitOf = (customer: string, amount: number): Call => ({
  method: 'PUT',
  path: `/accounts/${customer}/credit-limit`,
  as: 'operator',
  body: { creditLimit: { amount, currency: 'EUR' } },
});

/** An order whose payment is declined, with a duplicate, and a cancellation that comes too late, twice. */
export const declineOne: Scenario = {
  name: 'decline-one',
  faultProbability: 0.04,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1 });
    await orderly.call(productOf('TEA-1', DECLINED));
    const place = orderAt('alice', 'place', 'TEA-1', DECLINED);
    const { reply } = await orderly.call(place);
    orderly.begin(place);
    await orderly.rest();
    const cancel = cancellationOf('alice', reply.body.orderId, 'cancel');
    await orderly.call(cancel);
    orderly.begin(cancel);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/** An order that is cancelled twice while its stock is being reserved; its saga compensates its steps. */
export const cancelOne: Scenario = {
  name: 'cancel-one',
  faultProbability: 0.04,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1 });
    const { reply } = await placed(orderly, 'alice', 'place');
    const isAsked = (): boolean => events.accepted.some(({ event }) => event['detail-type'] === 'ReserveStock');
    // It may never get there: an event that the bus could not deliver is a failure record.
    const latest = world.now + MINUTE;
    await world.until(() => isAsked() || world.now >= latest);
    const cancel = cancellationOf('alice', reply.body.orderId, 'cancel');
    await orderly.call(cancel);
    orderly.begin(cancel);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/**
 * An order for each end of a saga: one that succeeds, one without a charge, one refused at each of its steps, and two
 * whose charges have trouble at the provider. Each is placed twice.
 */
export const stepsRefused: Scenario = {
  name: 'steps-refused',
  faultProbability: 0.01,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 9, 'SOLD-OUT': 0 });
    for (const amount of [0, DECLINED, ANSWERED_LATE, TIMES_OUT]) {
      await stocked(orderly, { [`P-${amount}`]: 9 });
      await orderly.call(productOf(`P-${amount}`, amount));
    }
    await orderly.call(limitOf('poor', 100));
    await orderly.call(limitOf('alice', 1_000_000));
    const orders = [
      orderAt('alice', 'good', 'TEA-1', 350),
      orderAt('alice', 'free', 'P-0', 0),
      orderAt('alice', 'unknown', 'NOBODY-SELLS-IT', 350),
      orderAt('alice', 'other-price', 'TEA-1', 300),
      orderAt('poor', 'over-limit', 'TEA-1', 350),
      orderAt('alice', 'sold-out', 'SOLD-OUT', 350),
      ...[DECLINED, ANSWERED_LATE, TIMES_OUT].map((amount) => orderAt('alice', `P-${amount}`, `P-${amount}`, amount)),
    ];
    const random = world.random.fork('customers');
    for (const order of orders) {
      world.after(random.between(0, 2_000), () => orderly.begin(order));
      world.after(random.between(0, 4_000), () => orderly.begin(order));
    }
    await orderly.rest();
    return [...brokenPromises(orderly), ...endedAs(orderly, ENDS)];
  },
};

/** Ends of the orders by the key of the request. */
const ENDS: Readonly<Record<string, string>> = {
  good: 'APPROVED',
  free: 'APPROVED',
  unknown: 'REJECTED UNKNOWN_PRODUCT',
  'other-price': 'REJECTED PRICE_CHANGED',
  'over-limit': 'REJECTED OVER_LIMIT',
  'sold-out': 'REJECTED OUT_OF_STOCK',
  [`P-${DECLINED}`]: 'REJECTED PAYMENT_DECLINED',
  [`P-${ANSWERED_LATE}`]: 'APPROVED',
  [`P-${TIMES_OUT}`]: 'APPROVED',
};

/**
 * Checks whether each order came to its end.
 * @param ends by the key of its request: status and reason; orders with other keys may end in any way
 */
export function endedAs(orderly: Orderly, ends: Readonly<Record<string, string>>): readonly Violation[] {
  // If the bus could not deliver an event, the order waits for an operator.
  if (orderly.cloud.faults.injected.some(({ kind }) => kind === 'undeliverable')) return [];
  const facts = new Facts(orderly);
  return orderly.answered.flatMap(({ path, key = '', reply }) => {
    if (path !== '/orders' || reply.status !== 201 || !(key in ends)) return [];
    const id = String(reply.body.orderId);
    const { status = '', reason } = facts.order(id) ?? {};
    const found = `${status}${reason === undefined ? '' : ` ${reason}`}`;
    return found === ends[key]
      ? []
      : [{ invariant: 'an order ends with the expected reason', detail: `${key}: ${found}`, about: id }];
  });
}
