import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, DAY, placed, stocked } from './shop.js';

/** Ages at which all events of the bus are redelivered. */
const AGES = [1, 6, 20, 33, 36, 70];

/** Puts events onto their bus again, as an archive's replay does. */
export function redeliver({ events }: Cloud, again: Cloud['events']['accepted']): void {
  for (const { bus, event } of again) {
    events.put(bus, { source: event.source, detailType: event['detail-type'], detail: event.detail });
  }
}

/**
 * Events are redelivered days and weeks later, as by an archive's replay. Inside the deduplication window, each is
 * recognised by its record; after it, when TTL has deleted the record, it is quarantined (G4).
 */
const redelivery = (name: string, ttlLag: number): Scenario => ({
  name,
  faultProbability: 0.003,
  conditions: { ttlLag },
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1 });
    const { reply } = await placed(orderly, 'alice', 'kept');
    await orderly.rest();
    await placed(orderly, 'alice', 'rejected');
    await orderly.rest();
    await orderly.call(cancellationOf('alice', reply.body.orderId, 'cancel'));
    await orderly.rest();
    const begun = world.now;
    const first = [...events.accepted].filter(({ event }) => event.source.startsWith('orderly.'));
    const processed = processedIn(orderly);
    for (const age of AGES) {
      await world.pass(begun + age * DAY - world.now);
      redeliver(cloud, first);
      await orderly.rest();
    }
    const tooOld = [...brokenPromises(orderly, ({ failures }) => failures?.[0]?.name === 'TooOld')];
    return [...tooOld, ...quarantined(orderly, processed)];
  },
});

/**
 * Events are redelivered after the window while their consumers crash: what their queues give up may have been done
 * before, so it is redriven only with an operator's confirmation.
 */
export const redeliveryWhileDown: Scenario = {
  name: 'redelivery-while-down',
  faultProbability: 0.003,
  conditions: { ttlLag: 0 },
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 2 });
    await placed(orderly, 'alice', 'kept');
    await orderly.rest();
    const first = events.accepted.filter(({ event }) => event.source.startsWith('orderly.'));
    const processed = processedIn(orderly);
    await world.pass(36 * DAY);
    for (const name of ['Inventory/OnCommands', 'Orders/OnSaga']) cloud.fn(name).failsUntil = world.now + DAY;
    for (const { bus, event } of first) {
      events.put(bus, { source: event.source, detailType: event['detail-type'], detail: event.detail });
    }
    await orderly.rest();
    await world.pass(2 * DAY);
    await new Operator(orderly).redriveAll();
    await orderly.rest();
    return [...brokenPromises(orderly, ({ unknown = false }) => unknown), ...quarantined(orderly, processed)];
  },
};

/** Returns the keys of the records of messages that are processed by now. */
export const processedIn = (orderly: Orderly): ReadonlySet<string> =>
  new Set([...new Facts(orderly).records].filter(([, { status }]) => status === 'PROCESSED').map(([pk]) => pk));

/**
 * By now no record of a first delivery exists: a redelivered event is reported as too old. A sequential inbox recognises it by
 * its place.
 * @param processed keys of the messages that were processed at first. What EventBridge could not deliver then is a failure, and
 *   may be redriven at any age; what its redrive leads to is new
 */
export function quarantined(orderly: Orderly, processed: ReadonlySet<string>): readonly Violation[] {
  const facts = new Facts(orderly);
  return facts.listeners
    .filter(({ consumer }) => !consumer.projection && consumer.inbox?.mode !== 'sequential')
    .flatMap((listener) =>
      [...facts.published]
        .filter(([, event]) =>
          listener.consumer.events.some(
            ({ service, types }) => event.source === `orderly.${service}` && types.includes(event['detail-type']),
          ),
        )
        .map(([id]) => `${listener.name}@${listener.generation}#${id}`)
        .filter((pk) => processed.has(pk))
        // What an inbox has not processed yet has its first record: it is recognised, however old it is.
        .filter((pk) => !['FAILED', 'PENDING'].includes(String(facts.records.get(pk)?.status)))
        .map((pk) => ({
          invariant: 'a message older than the deduplication window is quarantined',
          detail: `${pk} ${facts.records.get(pk)?.status}`,
          about: pk.slice(pk.indexOf('#') + 1),
        })),
    );
}

/** TTL deletes as late as it may. */
export const redeliveryTtlLags = redelivery('redelivery-ttl-lags', 2 * DAY);
/** TTL deletes at once. */
export const redeliveryTtlAtOnce = redelivery('redelivery-ttl-at-once', 0);
