import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { type Answered, Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { HOUR, placed, stocked } from './shop.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

/**
 * A payment and its refunds by numbers of a session: several at once, each twice; late repeats; then the session's end.
 */
export const numbers: Scenario = {
  name: 'numbers',
  faultProbability: 0.03,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const opened = await orderly.call({ method: 'POST', path: '/payments/sessions', as: 'alice' });
    const session = String(opened.reply.body.sessionId);
    const pay = {
      method: 'POST',
      path: '/payments',
      as: 'alice',
      body: { accountId: 'alice', amount: eur(1000) },
      numbered: { session, number: 1 },
    } as const;
    const { reply } = await orderly.call(pay);
    orderly.begin(pay);
    // A refusal isn't stored, so the payment must be charged before the refunds begin.
    await orderly.rest();

    const path = `/payments/${String(reply.body.paymentId)}/refund`;
    const refund = (number: number, answeredUpTo: number) =>
      ({
        method: 'POST',
        path,
        as: 'alice',
        body: { amount: eur(100) },
        numbered: { session, number, answeredUpTo },
      }) as const;
    const together = [2, 3, 4].map((number) => refund(number, 1));
    for (const one of [...together, ...together]) orderly.begin(one);
    await world.pass(10_000);
    // From here on the answers of 2 to 4 exist: late repeats are refused, or find their answers if this one was
    // refused.
    await orderly.call(refund(5, 4));
    for (const one of together) orderly.begin(one);
    await orderly.rest();

    await world.pass(2 * HOUR);
    // A repeat is an access, but none that opens the session again.
    await orderly.call(refund(5, 4));
    const late = await orderly.call(refund(6, 5));
    await orderly.rest();
    const broken: Violation[] = [...takesNothing(late)];
    const commits = [...new Facts(orderly).payments.values()].flat();
    const refunds = commits.flatMap(({ events }) => events).filter(({ type }) => type === 'RefundRequested');
    const taken = new Set(
      orderly.answered.flatMap((call) =>
        call.path === path && call.reply.status === 201 ? [call.numbered?.number] : [],
      ),
    );
    if (refunds.length < taken.size || refunds.length > 4)
      broken.push({
        invariant: 'a request number creates one refund',
        detail: `${refunds.length} of ${taken.size} numbers`,
      });
    return [...broken, ...brokenPromises(orderly)];
  },
};

/**
 * Two orders cancelled at once by numbers of a session, each twice; once more while a third is cancelled, with word that the
 * answers of the first two have come; then the session's end.
 */
export const numberedCancellations: Scenario = {
  name: 'numbered-cancellations',
  faultProbability: 0.02,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 3 });
    const first = await placed(orderly, 'alice', 'first');
    const second = await placed(orderly, 'alice', 'second');
    const third = await placed(orderly, 'alice', 'third');
    await orderly.rest();
    const opened = await orderly.call({ method: 'POST', path: '/sessions', as: 'alice' });
    const session = String(opened.reply.body.sessionId);
    const cancel = (orderId: unknown, number: number, answeredUpTo = 0) =>
      ({
        method: 'POST',
        path: `/orders/${String(orderId)}/cancellation`,
        as: 'alice',
        body: {},
        numbered: { session, number, answeredUpTo },
      }) as const;
    const cancellations = [cancel(first.reply.body.orderId, 1), cancel(second.reply.body.orderId, 2)];
    for (const one of [...cancellations, ...cancellations]) orderly.begin(one);
    await orderly.rest();
    for (const one of [...cancellations, cancel(third.reply.body.orderId, 3, 2)]) orderly.begin(one);
    await orderly.rest();
    await cloud.world.pass(2 * HOUR);
    const late = await orderly.call(cancel(first.reply.body.orderId, 4, 3));
    return [...takesNothing(late), ...brokenPromises(orderly)];
  },
};

const takesNothing = ({ reply: { body } }: Answered): readonly Violation[] =>
  String(body.type).endsWith(':session-not-open')
    ? []
    : [{ invariant: 'an idle session accepts no request', detail: JSON.stringify(body) }];
