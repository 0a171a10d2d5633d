import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { findMapping } from '../../support/simulation/reading.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, dispatchOf, orderOf, placed, returnOf, stocked } from './shop.js';
import { Stranger } from './strangers.js';

/**
 * An order that is dispatched twice, and cancelled too late. A part of it comes back and is refunded, twice requested; then the
 * operator counts what is left.
 */
export const dispatchOne: Scenario = {
  name: 'dispatch-one',
  faultProbability: 0.04,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 3 });
    const { reply } = await placed(orderly, 'alice', 'place');
    const { orderId } = reply.body;
    await orderly.rest();
    const dispatch = dispatchOf(orderId, 'dispatch');
    await orderly.call(dispatch);
    orderly.begin(dispatch);
    orderly.begin(cancellationOf('alice', orderId, 'cancel'));
    await orderly.rest();
    again(orderly);
    const comesBack = returnOf(orderId, 'return', 150);
    for (const _ of [1, 2]) orderly.begin(comesBack);
    await orderly.rest();
    return [...brokenPromises(orderly), ...(await whatIsThereCanBeCounted(orderly, 'TEA-1'))];
  },
};

const ORDERS = 5;

/**
 * Orders that are dispatched and cancelled at any moment, each request twice and the dispatch by another key, too; goods come back at
 * any moment, in two parts that together cost more than the order, and a stranger meddles with two of them. By seed, accounts hear of the approvals after all that. At the end the
 * dispatch and the cancellation of each order come at once, and every dispatch is heard again.
 */
export const dispatchRaces: Scenario = {
  name: 'dispatch-races',
  faultProbability: 0.02,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': ORDERS - 1 });
    const random = world.random.fork('customers');
    const stranger = new Stranger(orderly);
    if (world.random.fork('accounts').chance(0.5)) {
      const approvals = findMapping(cloud, 'Accounts/OnOrderEnds');
      approvals.enabled = false;
      world.after(12_000, () => {
        approvals.enabled = true;
      });
    }
    const ids: unknown[] = [];
    for (let number = 0; number < ORDERS; number++) {
      orderly.begin(orderOf('alice', `order-${number}`, ['TEA-1']), ({ reply }) => {
        if (reply.status !== 201) return;
        const { orderId } = reply.body;
        ids.push(orderId);
        const cancel = cancellationOf('alice', orderId, 'cancel');
        const dispatches = [
          dispatchOf(orderId, 'dispatch'),
          dispatchOf(orderId, 'dispatch'),
          dispatchOf(orderId, 'other'),
        ];
        for (const dispatch of dispatches) world.after(random.between(500, 6_000), () => orderly.begin(dispatch));
        for (const key of ['one', 'two']) {
          world.after(random.between(2_000, 9_000), () => orderly.begin(returnOf(orderId, key, 200)));
        }
        if (number < 2) stranger.meddles(orderId, 8_000);
        if (!random.chance(0.5)) return;
        for (const _ of [1, 2]) world.after(random.between(500, 6_000), () => orderly.begin(cancel));
      });
    }
    await orderly.rest();
    for (const id of ids) {
      const both = [dispatchOf(id, 'last'), cancellationOf('alice', id, 'last')];
      for (const request of random.shuffle(both)) orderly.begin(request);
    }
    await orderly.rest();
    again(orderly);
    await orderly.rest();
    return [...brokenPromises(orderly), ...(await whatIsThereCanBeCounted(orderly, 'TEA-1'))];
  },
};

/**
 * Brings all dispatches to their consumers again: as an archive's replay does, and under another id, by which no record
 * recognises it.
 */
function again({ cloud: { events } }: Orderly): void {
  const type = 'OrderDispatched';
  for (const { bus, event } of events.accepted.filter(({ event }) => event['detail-type'] === type)) {
    const detail = event.detail as { readonly id: string };
    for (const id of [detail.id, `${detail.id}-again`]) {
      events.put(bus, { source: event.source, detailType: type, detail: { ...detail, id } });
    }
  }
}

/** An operator may count what is physically there: all that was not dispatched. */
async function whatIsThereCanBeCounted(orderly: Orderly, sku: string): Promise<readonly Violation[]> {
  const stock = new Facts(orderly).counters.find((one) => one.sku === sku);
  // Its first count may have failed for good.
  if (!stock) return [];
  const body = { onHand: stock.onHand };
  const { reply } = await orderly.call({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body });
  return reply.status === 200
    ? []
    : [{ invariant: 'what is physically there can be counted', detail: JSON.stringify(reply.body), about: sku }];
}
