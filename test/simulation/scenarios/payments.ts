import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts, type MessageRecord } from '../../support/simulation/facts.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { DAY } from './shop.js';
import { Stranger } from './strangers.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

export const paymentOf = (as: string, amount: number, key: string) =>
  ({ method: 'POST', path: '/payments', as, key, body: { accountId: as, amount: eur(amount) } }) as const;

export const refundOf = (as: string, paymentId: unknown, key: string, amount?: number) => {
  const body = amount === undefined ? {} : { amount: eur(amount) };
  return { method: 'POST', path: `/payments/${String(paymentId)}/refund`, as, key, body } as const;
};

/**
 * One payment, whose request is repeated; a partial refund, then a refund of the rest, then one of more than there was. A stranger
 * tries to pay from the same account, and to get the refund.
 */
export const payOnce: Scenario = {
  name: 'pay-once',
  faultProbability: 0.04,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const pay = paymentOf('alice', 1000, 'pay');
    const { reply } = await orderly.call(pay);
    orderly.begin(pay);
    const stranger = new Stranger(orderly);
    stranger.pays('alice', 'pay', 1_000);
    await orderly.rest();
    const { paymentId } = reply.body;
    stranger.refunds(paymentId, 'part', 1_000);
    const part = refundOf('alice', paymentId, 'part', 400);
    await orderly.call(part);
    orderly.begin(part);
    // Refunds all that is left, perhaps while the partial refund is in progress.
    await orderly.call(refundOf('alice', paymentId, 'rest'));
    const more = await orderly.call(refundOf('alice', paymentId, 'more', 1));
    await orderly.rest();
    return [...brokenPromises(orderly), ...answers('more than was charged', more.reply.status, 409)];
  },
};

/**
 * Depending on the amount, the provider declines, fails in each of its ways, answers late or never; refunds do the
 * same.
 */
export const payTrouble: Scenario = {
  name: 'pay-trouble',
  faultProbability: 0.02,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    for (const amount of [20200, 40200, 50000, 50001, 50002, 50400]) {
      orderly.begin(paymentOf('alice', amount, `pay-${amount}`));
    }
    const { reply } = await orderly.call(paymentOf('bob', 300_000, 'pay'));
    await orderly.rest();
    for (const amount of [50000, 50001, 50002, 50400]) {
      orderly.begin(refundOf('bob', reply.body.paymentId, `refund-${amount}`, amount));
    }
    await orderly.rest();
    // The charge and the refund of 500.00, even if they were never delivered.
    const areVisible = failed(orderly).length >= 2;
    return [...brokenPromises(orderly, isUnclear), ...answers('unclear effects are visible', areVisible, true)];
  },
};

/**
 * An effect at the provider can't be committed until all attempts are used up. Three days later, after the provider has
 * forgotten its keys, an operator redrives the failures twice.
 */
export const payThreeDaysLater: Scenario = {
  name: 'pay-three-days-later',
  faultProbability: 0.002,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const { reply } = await orderly.call(paymentOf('alice', 1000, 'before'));
    await orderly.rest();
    const { paymentId } = reply.body;
    cloud.calls.interceptor = {
      beforeCall: ({ fn, request, body }) =>
        fn.label === 'Payments/OnProvider' && request.operation === 'TransactWriteItems' && body.includes('COMMIT#')
          ? 'refused'
          : undefined,
      afterCall: () => undefined,
    };
    await orderly.call(refundOf('alice', paymentId, 'part', 300));
    await orderly.call(paymentOf('bob', 2000, 'meanwhile'));
    await orderly.rest();
    const { refunds } = new Facts(orderly).sandbox.get(`TALLY#${String(paymentId)}`) ?? {};
    // A fault at a commit takes precedence over the interceptor's refusal, so the commit may succeed; an undelivered
    // message is never tried.
    const broken =
      cloud.faults.injected.length > 0
        ? []
        : [
            ...answers('a provider answer that could not be committed is visible as failed', failed(orderly).length, 2),
            ...answers('a refund whose commit failed was made once', refunds, 1),
          ];
    cloud.calls.interceptor = undefined;
    await world.pass(3 * DAY);
    const redriven = failed(orderly).map(({ pk }) => pk);
    const operator = new Operator(orderly);
    await operator.redriveAll();
    await operator.redriveAll();
    await orderly.rest();
    // An event of what the redrive did may have become a failure of its own.
    const stillFailed = failed(orderly).filter(({ pk }) => redriven.includes(pk));
    const left = answers('a redrive ends every failure', stillFailed.length, 0);
    return [...broken, ...brokenPromises(orderly, () => true), ...left];
  },
};

const failed = (orderly: Orderly): readonly MessageRecord[] =>
  [...new Facts(orderly).records.values()].filter(({ status }) => status === 'FAILED');

/** Whether a failure at the provider needs an operator's decision. */
export const isUnclear = ({ status, failures = [] }: MessageRecord): boolean =>
  status === 'FAILED' && failures[0]?.name === 'PaymentUnclear';

const answers = (invariant: string, found: unknown, wanted: unknown): readonly Violation[] =>
  found === wanted ? [] : [{ invariant, detail: `${found}, not ${wanted}` }];
