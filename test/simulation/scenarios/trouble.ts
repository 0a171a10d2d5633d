import type { Scenario, Violation } from '../../simulator/search/scenario.js';
import { Facts } from '../support/facts.js';
import { brokenPromises } from '../support/invariants.js';
import { Orderly } from '../support/orderly.js';
import { orderOf, stocked } from './shop.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The relay of the orders fails for 26 hours, longer than its stream keeps a record. */
export const relayFails: Scenario = {
  name: 'relay-fails-26-hours',
  faultProbability: 0.001,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    cloud.fn('Orders/Outbox/Relay').failsUntil = world.now + 26 * HOUR;
    for (const key of ['first', 'second', 'third']) await orderly.call(orderOf('alice', key, ['TEA-1']));
    await orderly.rest();
    // What comes after the outage goes through.
    await world.pass(2 * DAY);
    await orderly.call(orderOf('alice', 'after', ['TEA-1']));
    await orderly.rest();
    return brokenPromises(orderly, true);
  },
};

/** The bus refuses every entry for 20 minutes. */
export const busRefuses: Scenario = {
  name: 'bus-refuses',
  faultProbability: 0.01,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    await orderly.rest();
    cloud.events.refusesUntil = cloud.world.now + 20 * 60_000;
    for (const key of ['first', 'second', 'third']) await orderly.call(orderOf('alice', key, ['TEA-1']));
    await orderly.rest();
    return brokenPromises(orderly, true);
  },
};

/** Messages that can't be read, between good ones: each becomes a failure record, and nothing waits behind it. */
export const poison: Scenario = {
  name: 'poison',
  faultProbability: 0.01,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    const bodies = ['not JSON', '{}', '{"detail-type":"OrderPlaced","source":"orderly.orders","detail":{"id":"half"}}'];
    for (const body of bodies) cloud.queue('Inventory/Reservations/Queue').send({ body });
    await orderly.call(orderOf('alice', 'good', ['TEA-1']));
    await orderly.rest();
    const broken = [...brokenPromises(orderly, true)];
    const payloads = [...new Facts(orderly).records.values()].map(({ payload }) => payload);
    for (const body of bodies) {
      if (!payloads.includes(body))
        broken.push({ invariant: 'what cannot be read is visible as failed', detail: body });
    }
    return broken;
  },
};

/** An event comes again after 40 days, when TTL has deleted the record of its first delivery: it is quarantined. */
export const tooOld: Scenario = {
  name: 'too-old',
  faultProbability: 0.01,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    await orderly.call(orderOf('alice', 'order', ['TEA-1']));
    await orderly.rest();
    await world.pass(40 * DAY);
    const again = events.accepted.filter(({ event }) =>
      ['OrderPlaced', 'StockReserved'].includes(event['detail-type']),
    );
    for (const { bus, event } of again) {
      events.put(bus, { source: event.source, detailType: event['detail-type'], detail: event.detail });
    }
    await orderly.rest();
    const { records } = new Facts(orderly);
    const quarantined = again.flatMap(({ event }): readonly Violation[] => {
      const { id } = event.detail as { id: string };
      const record = records.get(`reservations@0#${id}`) ?? records.get(`orders-stock@0#${id}`);
      if (record?.status === 'FAILED') return [];
      return [
        { invariant: 'what is too old is quarantined', detail: `${event['detail-type']} ${record?.status}`, about: id },
      ];
    });
    return [...brokenPromises(orderly, true), ...quarantined];
  },
};
