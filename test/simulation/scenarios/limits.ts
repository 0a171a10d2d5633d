import type { AccountCommand } from '../../../lambdas/accounts/contract.js';
import { settingsFor } from '../../../lib/settings.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { limitOf, stepsOf } from './accounts.js';
import { paymentOf, refundOf } from './payments.js';

const { ordersUnderWay, refundsPerDay, refundedPerDay } = settingsFor('prod').customerLimits;
const MORE = 3;

/**
 * More concurrent refunds than a day allows, some of them requested twice, and few that together are more than a day's sum:
 * those above a limit are refused until the next day, and made then, since their clients retry.
 */
export const refundLimit: Scenario = {
  name: 'refund-limit',
  faultProbability: 0.01,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const { reply } = await orderly.call(paymentOf('alice', 1000, 'pay'));
    const large = await orderly.call(paymentOf('bob', 2 * refundedPerDay, 'pay'));
    await orderly.rest();
    for (const number of [1, 2, 3]) {
      orderly.begin(refundOf('bob', large.reply.body.paymentId, `large-${number}`, 0.4 * refundedPerDay));
    }
    for (let number = 0; number < refundsPerDay + MORE; number++) {
      const refund = refundOf('alice', reply.body.paymentId, `refund-${number}`, 1);
      orderly.begin(refund);
      if (number % 4 === 0) orderly.begin(refund);
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/**
 * More concurrent orders of one customer than may be in progress, some requested twice; then some end, and others
 * begin.
 */
export const orderLimit: Scenario = {
  name: 'order-limit',
  faultProbability: 0.002,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    await orderly.call(limitOf('alice', 1_000_000));
    const steps = (number: number) => stepsOf('alice', `order-${number}`, 100);
    for (let number = 0; number < ordersUnderWay + MORE; number++) {
      // Only some run at once: more would mostly conflict with each other.
      world.after(Math.floor(number / 4) * 1_000, () => send(steps(number).authorize));
      if (number % 20 === 0) world.after(number * 250, () => send(steps(number).authorize));
    }
    await orderly.rest();
    const held = [...new Facts(orderly).authorizations]
      .filter(([, known]) => known.includes('"AUTHORIZED"'))
      .map(([key]) => Number(/order-(\d+)$/.exec(key)?.[1]));
    for (const number of held.slice(0, MORE)) send(steps(number)[number % 2 === 0 ? 'capture' : 'release']);
    await orderly.rest();
    for (let number = 0; number < MORE; number++) send(stepsOf('alice', `later-${number}`, 100).authorize);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
