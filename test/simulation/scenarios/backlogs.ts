import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { HOUR, placed, stocked } from './shop.js';

/** Counts of one SKU before and in the middle of the outage: their commits are in one shard, several in each of its lanes. */
const COUNTS = [16, 8];

/**
 * The stock's relay reads nothing for a day. When it continues, records that are too old are given up, several in one object,
 * and the younger ones of the same batches are sent. An operator redrives what was given up: once, unless a fault meets the redrive.
 */
export const relayBehindADay: Scenario = {
  name: 'relay-behind-a-day',
  faultProbability: 0.003,
  async play(cloud) {
    const { world, buckets } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 100 });
    await orderly.rest();
    const relay = cloud.streams.find(({ fn }) => fn.label === 'Inventory/Outbox/Relay');
    if (!relay) throw new Error('there is no relay of the stock');
    relay.enabled = false;
    let onHand = 100;
    for (const [at, counts] of COUNTS.entries()) {
      if (at > 0) await world.pass(3 * HOUR);
      for (let count = 0; count < counts; count++) {
        await orderly.call({ method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: ++onHand } });
      }
    }
    await world.pass(20 * HOUR);
    relay.enabled = true;
    await orderly.rest();
    const broken = [...brokenPromises(orderly, ({ pk }) => pk.startsWith('relay@'))];
    const objects = [...buckets.all()].map(([, body]) => recordsIn(body));
    if (!hasChangedShards(cloud, relay) && !objects.some((records) => records > 1))
      broken.push({ invariant: 'a batch of several records is given up', detail: objects.join(', ') });
    const operator = new Operator(orderly);
    // A redrive calls the relay itself, so its operator sees whether the relay met a fault, and only then tries again.
    for (let met = -1; met < cloud.faults.injected.length; ) {
      met = cloud.faults.injected.length;
      await operator.redriveAll();
      await orderly.rest();
      if (met < cloud.faults.injected.length) await world.pass(HOUR);
    }
    return [...broken, ...brokenPromises(orderly), ...nothingFailed(orderly, 'a redrive publishes what was given up')];
  },
};

function recordsIn(object: string): number {
  const { payload = '{}' } = JSON.parse(object) as { readonly payload?: string };
  return (JSON.parse(payload) as { readonly Records?: readonly unknown[] }).Records?.length ?? 0;
}

/** Whether a shard of its stream has split or rolled over, so that the commits of one SKU are in several. */
function hasChangedShards({ dynamodb }: Cloud, { resource }: Cloud['streams'][number]): boolean {
  const { output } = dynamodb.call('DescribeStream', { StreamArn: resource.properties.EventSourceArn });
  const { StreamDescription } = output as { readonly StreamDescription: { readonly Shards: readonly object[] } };
  return StreamDescription.Shards.some((shard) => 'ParentShardId' in shard);
}

/**
 * The function that runs the sagas fails until its messages are failures. Then an operator redrives them, once: whatever
 * passing trouble a redriven message meets, it is tried until it is processed.
 */
export const redriveOnce: Scenario = {
  name: 'redrive-once',
  faultProbability: 0.003,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 2 });
    cloud.fn('Orders/OnSaga').failsUntil = world.now + 3 * HOUR;
    await placed(orderly, 'alice', 'place');
    await orderly.rest();
    await world.pass(3 * HOUR);
    const { sent } = await new Operator(orderly).redriveAll();
    await orderly.rest();
    const broken = nothingFailed(orderly, 'a redriven message is processed, after any passing trouble');
    if (sent === 0)
      broken.push({ invariant: 'messages of an outage are visible as failed', detail: 'none was redriven' });
    return [...brokenPromises(orderly, () => true), ...broken];
  },
};

/** Checks that no failure is left, but for events that EventBridge could not hand over for a day. */
const nothingFailed = (orderly: Orderly, invariant: string): Violation[] =>
  [...new Facts(orderly).records.values()]
    .filter(({ status }) => status === 'FAILED')
    .filter(({ failures = [] }) => !failures.some(({ message }) => message.startsWith('EventBridge could not')))
    .map(({ pk, failures }) => ({
      invariant,
      detail: `${pk} ${JSON.stringify(failures?.map(({ name, message }) => `${name} ${message}`))}`,
      about: pk,
    }));
