import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Operator } from '../../support/simulation/operator.js';
import { type Answered, type Call, Orderly } from '../../support/simulation/orderly.js';
import { Rebuilds } from '../../support/simulation/rebuilds.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, MINUTE, orderOf, placed, stocked } from './shop.js';

const STREET = 'Street of alice';

/**
 * Somebody is forgotten while the functions have their key in memory. From the answer on, no request shows anything of
 * theirs and none stores anything new, however soon it comes.
 */
export const forgetAtOnce: Scenario = {
  name: 'forget-at-once',
  faultProbability: 0.03,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 4 });
    const deliverTo = { name: 'Alice', street: STREET, city: 'City', postalCode: '1', country: 'DE' };
    const order = orderOf('alice', 'place', ['TEA-1']);
    const place = { ...order, body: { ...order.body, deliverTo } };
    const payment = (key: string): Call => ({
      method: 'POST',
      path: '/payments',
      as: 'alice',
      key,
      body: { accountId: 'alice', amount: { amount: 100, currency: 'EUR' }, clientReference: STREET },
    });
    const patch = (key: string, street: string): Call => ({
      method: 'PATCH',
      path: '/users/me',
      as: 'alice',
      key,
      body: { address: { ...deliverTo, street } },
    });
    const { reply } = await orderly.call(place);
    await orderly.call(payment('pay'));
    await orderly.call(patch('patch', STREET));
    const path = `/orders/${String(reply.body.orderId)}`;
    const read = (): void => {
      orderly.begin({ method: 'GET', path, as: 'alice' });
      orderly.begin({ method: 'GET', path: `${path}/history`, as: 'operator' });
      orderly.begin({ method: 'GET', path: '/orders', as: 'alice' });
      orderly.begin({ method: 'GET', path: '/users/me', as: 'alice' });
    };
    read();
    await orderly.rest();
    await new Operator(orderly).forget('alice');
    const begun = orderly.answered.length;
    read();
    orderly.begin(cancellationOf('alice', reply.body.orderId, 'cancel', 'changed my mind'));
    const taking = [{ ...place, key: 'another' }, payment('another'), patch('another', `New ${STREET}`)];
    for (const call of taking) orderly.begin(call);
    await world.until(() => orderly.answered.length + orderly.unanswered.length >= begun + 5 + taking.length);
    const since = orderly.answered.slice(begun);
    await orderly.rest();
    const shows = ({ reply }: Answered): boolean => JSON.stringify(reply.body).includes(STREET);
    const isTaken = ({ key, reply }: Answered): boolean =>
      key === 'another' && !String(reply.body.type).endsWith(':person-forgotten');
    const broken = (invariant: string, found: readonly Answered[]): readonly Violation[] =>
      found.map(({ method, path }) => ({ invariant, detail: `${method} ${path}`, about: 'alice' }));
    return [
      ...brokenPromises(orderly),
      ...broken('no request after the erasure shows anything of a forgotten person', since.filter(shows)),
      ...broken('no request after the erasure stores anything of a forgotten person', since.filter(isTaken)),
    ];
  },
};

/** Longer than a rebuild takes. */
const LATE_MS = 60_000;

/** A list is rebuilt while the feed, which is an index, shows nothing of the last minute. */
export const rebuildBehindFeed: Scenario = {
  name: 'rebuild-behind-feed',
  faultProbability: 0.01,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 5 });
    await placed(orderly, 'alice', 'early');
    await orderly.rest();
    cloud.minIndexDelay = LATE_MS;
    const { reply } = await placed(orderly, 'alice', 'late');
    const isShown = (): boolean => new Facts(orderly).shown.has(String(reply.body.orderId));
    const latest = world.now + 2 * MINUTE;
    while (!isShown() && world.now < latest) await world.pass(100);
    await new Rebuilds(orderly).through('orders-list');
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
