import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { Facts } from '../support/facts.js';
import { Operator } from '../support/operator.js';
import { type Answered, Orderly } from '../support/orderly.js';
import { Rebuilds } from '../support/rebuilds.js';
import { cancellationOf, MINUTE, orderOf, placed, stocked } from './shop.js';

const STREET = 'Street of alice';

/**
 * Somebody is forgotten when no function has had their key for longer than it may be kept in memory. From then on, no answer
 * shows anything of theirs, however soon it is asked for.
 */
export const forgetAfterSilence: Scenario = {
  name: 'forget-after-silence',
  faultProbability: 0.03,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 2 });
    const deliverTo = { name: 'Alice', street: STREET, city: 'City', postalCode: '1', country: 'DE' };
    const order = orderOf('alice', 'place', ['TEA-1']);
    const place = { ...order, body: { ...order.body, deliverTo } };
    const { reply } = await orderly.call(place);
    await orderly.rest();
    await world.pass(6 * MINUTE);
    await new Operator(orderly).forget('alice');
    const path = `/orders/${String(reply.body.orderId)}`;
    const begun = orderly.answered.length;
    orderly.begin({ method: 'GET', path, as: 'alice' });
    orderly.begin({ method: 'GET', path: `${path}/history`, as: 'operator' });
    orderly.begin({ method: 'GET', path: '/orders', as: 'alice' });
    orderly.begin(cancellationOf('alice', reply.body.orderId, 'cancel', 'changed my mind'));
    orderly.begin({ ...place, key: 'another' });
    await orderly.rest();
    const since = orderly.answered.slice(begun);
    const shows = ({ reply }: Answered): boolean => JSON.stringify(reply.body).includes(STREET);
    return [
      ...brokenPromises(orderly),
      ...since.filter(shows).map(
        ({ method, path }): Violation => ({
          invariant: 'who has no key in memory shows nothing of a forgotten person',
          detail: `${method} ${path}`,
          about: 'alice',
        }),
      ),
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
    cloud.indexesLateBy = LATE_MS;
    const { reply } = await placed(orderly, 'alice', 'late');
    const isShown = (): boolean => new Facts(orderly).shown.has(String(reply.body.orderId));
    const latest = world.now + 2 * MINUTE;
    while (!isShown() && world.now < latest) await world.pass(100);
    await new Rebuilds(orderly).through('orders-list');
    await orderly.rest();
    return brokenPromises(orderly);
  },
};
