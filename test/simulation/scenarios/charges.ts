import type { StepCommand } from '../../../lambdas/payments/contract.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { isUnclear } from './payments.js';

/** Returns the steps of an order's saga that payments handles. */
function stepsOf(orderId: string, amount: number) {
  const step = (name: string) => ({ customerId: 'alice', orderId, stepId: `${orderId}/${name}` });
  return {
    charge: { type: 'ChargePayment', data: { ...step('charge'), amount: { amount, currency: 'EUR' } } },
    undo: { type: 'RefundPayment', data: step('undo') },
  } as const satisfies Record<string, StepCommand>;
}

/** By then a charge without faults has ended. */
const LONGEST_WAY = 60_000;

/**
 * Three orders: one is charged and compensated, each step twice, with the charge once more afterwards; one is
 * compensated before it is charged; and one while the provider is about to charge it.
 */
export const chargeOne: Scenario = {
  name: 'charge-one',
  faultProbability: 0.04,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<StepCommand>(cloud, 'payments');
    const [first, late, raced] = [stepsOf('first', 1000), stepsOf('late', 700), stepsOf('raced', 500)];
    send(first.charge);
    send(first.charge);
    send(late.undo);
    await orderly.rest();
    send(late.charge);
    send(first.undo);
    send(first.undo);
    send(raced.charge);
    const { accepted } = cloud.events;
    const isAboutToBeCharged = ({ event }: (typeof accepted)[number]): boolean =>
      event['detail-type'] === 'PaymentPrepared' && (event.detail as { subject: string }).subject === 'Payment/raced';
    // It may never get there: a command that the bus couldn't deliver is a failure record.
    const latest = world.now + LONGEST_WAY;
    await world.until(() => accepted.some(isAboutToBeCharged) || world.now >= latest);
    send(raced.undo);
    await orderly.rest();
    send(first.charge);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/** Trace line for a moment at which everything has come to rest: the last one that differs from earlier moments. */
export const AT_REST = 'nothing moves any more: the undoing is late';

/** Name of the scenario that compensates a charge at one moment: `undo-at-17-of-50400`. */
export const UNDO_AT = /^undo-at-(\d+)-of-(\d+)$/;

/**
 * A charge whose compensation begins at one moment of its progress: right before the n-th call, message, delivery or
 * invocation. Played at every moment, it meets the charge at every point at which anything happens.
 * @param moment from 0; after the last one everything has come to rest
 * @param amount selects the provider's behaviour (`sandbox-amounts.ts`)
 */
export const undoAt = (moment: number, amount: number): Scenario => ({
  name: `undo-at-${moment}-of-${amount}`,
  faultProbability: 0.02,
  async play(cloud) {
    const { world, faults } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<StepCommand>(cloud, 'payments');
    const { charge, undo } = stepsOf('order', amount);
    send(charge);
    const begun = faults.points.length;
    const latest = world.now + LONGEST_WAY;
    await world.until(() => faults.points.length >= begun + moment || world.now >= latest);
    if (world.now >= latest) world.note(AT_REST);
    send(undo);
    send(undo);
    await orderly.rest();
    return brokenPromises(orderly, isUnclear);
  },
});

/** Behaviour of the provider for each order's charge: correct, refused, late, or failing in each of its ways. */
const AMOUNTS = [1000, 1000, 20200, 40200, 50000, 50001, 50002, 50400];

/** Sagas whose charges and compensations come in any order, repeated, late and at once. */
export const chargeRaces: Scenario = {
  name: 'charge-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<StepCommand>(cloud, 'payments');
    const random = world.random.fork('sagas');
    for (const [number, amount] of AMOUNTS.entries()) {
      const { charge, undo } = stepsOf(`order-${number}`, amount);
      const begin = random.between(0, 2_000);
      for (const step of random.pick([[charge], [charge, undo], [charge, undo], [undo, charge]] as const)) {
        const at = begin + random.between(0, 3_000);
        world.after(at, () => send(step));
        if (random.chance(0.4)) world.after(at + random.between(0, 3_000), () => send(step));
      }
    }
    await orderly.rest();
    return brokenPromises(orderly, isUnclear);
  },
};
