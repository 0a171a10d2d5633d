import type { AccountCommand } from '../../../lambdas/accounts/contract.js';
import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { bonusOf, limitOf, readersSeeAccounts, stepsOf } from './accounts.js';

/** Closes a customer's account as an operator, or opens it again. */
const statusOf = (customer: string, status: 'OPEN' | 'CLOSED') =>
  ({
    method: 'PUT',
    path: `/accounts/${customer}/status`,
    as: 'operator',
    body: { status, reason: `Words about ${customer}` },
  }) as const;

const ORDERS = 6;

/**
 * Accounts that are closed and opened again while orders ask for credit and end, their limits change and bonuses are applied.
 * Each step comes at any moment, some twice. Bob's account is closed before his first order.
 */
export const closedAccounts: Scenario = {
  name: 'closed-accounts',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    const random = world.random.fork('closings');
    await orderly.call(limitOf('alice', 300));
    await orderly.call(statusOf('bob', 'CLOSED'));
    for (let number = 0; number < ORDERS; number++) {
      const { authorize, capture, release, refund } = stepsOf(
        number % 3 === 2 ? 'bob' : 'alice',
        `order-${number}`,
        100,
      );
      const begin = random.between(0, 2_000);
      const way = random.pick([
        [authorize, capture, refund],
        [authorize, release],
        [authorize, capture],
      ] as const);
      for (const [at, step] of way.entries()) {
        const time = begin + at * random.between(0, 2_000);
        world.after(time, () => send(step));
        if (random.chance(0.4)) world.after(time + random.between(0, 2_000), () => send(step));
      }
    }
    for (const [at, status] of (['CLOSED', 'OPEN', 'CLOSED'] as const).entries()) {
      const time = at * 1_500 + random.between(0, 1_000);
      world.after(time, () => orderly.begin(statusOf('alice', status)));
      if (random.chance(0.3)) world.after(time + 50, () => orderly.begin(statusOf('alice', status)));
    }
    world.after(random.between(0, 4_000), () => orderly.begin(limitOf('alice', 200)));
    world.after(random.between(0, 4_000), () => orderly.begin(bonusOf('alice', 50, 'first')));
    await orderly.rest();
    return [...brokenPromises(orderly), ...(await readersSeeAccounts(orderly))];
  },
};
