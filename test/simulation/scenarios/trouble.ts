import { idOfBody } from '../../../packages/kit/failures/delivery.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { Facts, type MessageRecord } from '../support/facts.js';
import { Operator } from '../support/operator.js';
import { Orderly } from '../support/orderly.js';
import { cancellationOf, DAY, HOUR, orderOf, placed, stocked } from './shop.js';

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
    return brokenPromises(orderly, ({ pk }) => pk.startsWith('relay@'));
  },
};

/** The same outage, and each failed batch is overwritten before anybody has read it. */
export const batchesOverwritten: Scenario = {
  name: 'batches-overwritten',
  faultProbability: 0.001,
  async play(cloud) {
    const { world, buckets } = cloud;
    const put = buckets.put.bind(buckets);
    buckets.put = (bucket, key, body) => {
      put(bucket, key, body);
      put(bucket, key, '{}');
    };
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    cloud.fn('Orders/Outbox/Relay').failsUntil = world.now + 26 * HOUR;
    for (const key of ['first', 'second']) await orderly.call(orderOf('alice', key, ['TEA-1']));
    await orderly.rest();
    return brokenPromises(orderly, ({ pk }) => pk.startsWith('relay@'));
  },
};

/** Spread over ten lanes by their keys, so many commits fill one of them with more than a PutEvents takes. */
const COUNTS = 90;

/** The relay of the stock fails for ten minutes, in which an operator counts a SKU again and again. */
export const relayCatchesUp: Scenario = {
  name: 'relay-catches-up',
  faultProbability: 0.005,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    cloud.fn('Inventory/Outbox/Relay').failsUntil = world.now + HOUR / 6;
    for (let onHand = 1; onHand <= COUNTS; onHand++) await stocked(orderly, { 'TEA-1': onHand });
    await orderly.rest();
    await placed(orderly, 'alice', 'after');
    await orderly.rest();
    return brokenPromises(orderly, () => false);
  },
};

/** The function that leads the sagas fails for 26 hours; two days later an operator sends what failed again, twice. */
export const consumerFails: Scenario = {
  name: 'consumer-fails-26-hours',
  faultProbability: 0.003,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    cloud.fn('Orders/OnSaga').failsUntil = world.now + 26 * HOUR;
    for (const key of ['first', 'second']) await placed(orderly, 'alice', key);
    const { reply } = await placed(orderly, 'alice', 'cancelled');
    await orderly.call(cancellationOf('alice', reply.body.orderId, 'cancel'));
    await orderly.rest();
    const broken = [...visibleAsFailed(orderly, 4)];
    const operator = new Operator(orderly);
    // Too soon: the consumer is still down.
    const failed = failuresOf(orderly).map(({ pk }) => pk);
    await operator.redriveAll();
    await orderly.rest();
    broken.push(...failedAgain(orderly, failed));
    await world.pass(2 * DAY);
    await placed(orderly, 'alice', 'after');
    await operator.redriveAll();
    await operator.redriveAll();
    await orderly.rest();
    // What the bus could not hand over meanwhile is given up a day later.
    await operator.redriveAll();
    await orderly.rest();
    return [...broken, ...brokenPromises(orderly, () => true), ...nothingFailedIsLeft(orderly)];
  },
};

/** What a relay and a consumer left to an operator is sent again so long after; then every order ends. */
const redriveLater = (name: string, days: number): Scenario => ({
  name,
  faultProbability: 0.002,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const operator = new Operator(orderly);
    await stocked(orderly, { 'TEA-1': 10 });
    cloud.fn('Orders/OnSaga').failsUntil = world.now + 26 * HOUR;
    await placed(orderly, 'alice', 'published');
    await world.pass(HOUR);
    cloud.fn('Orders/Outbox/Relay').failsUntil = world.now + 26 * HOUR;
    const { reply } = await placed(orderly, 'alice', 'unpublished');
    await orderly.call(cancellationOf('alice', reply.body.orderId, 'cancel'));
    await placed(orderly, 'alice', 'unpublished-too');
    await orderly.rest();
    const broken = [...visibleAsFailed(orderly, 4)];
    await world.pass(days * DAY);
    // First what failed, through its relay or its consumer.
    await operator.redriveAll();
    await orderly.rest();
    // Then what came too late for that by now; again, since a fault may have kept the relay from sending it the first time.
    for (let round = 0; round < 3; round++) {
      await operator.redriveAll(true);
      await orderly.rest();
    }
    return [...broken, ...brokenPromises(orderly, () => true), ...nothingFailedIsLeft(orderly)];
  },
});

export const redriveDaysLater = redriveLater('redrive-days-later', 3);
/** Past the dedupe window: consumers quarantine what the relay sends, until an operator says that it was not done. */
export const redriveWeeksLater = redriveLater('redrive-weeks-later', 40);

/**
 * What a consumer gave up lies in its dead-letter queue for almost as long as one keeps it, since the drain fails too; then
 * it is drained, and an operator sends it again.
 */
export const drainFails: Scenario = {
  name: 'drain-fails-13-days',
  faultProbability: 0.001,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    cloud.fn('Orders/OnSaga').failsUntil = world.now + 26 * HOUR;
    cloud.fn('Orders/Saga/DrainDeadLetters').failsUntil = world.now + 13 * DAY;
    await placed(orderly, 'alice', 'first');
    const { reply } = await placed(orderly, 'alice', 'cancelled');
    await orderly.call(cancellationOf('alice', reply.body.orderId, 'cancel'));
    await world.pass(12 * DAY);
    const lying = cloud.queue('Orders/Saga/DeadLetters').all().length;
    await placed(orderly, 'alice', 'after');
    await orderly.rest();
    const broken = [...visibleAsFailed(orderly, 3)];
    if (lying < 3) broken.push({ invariant: 'what is not drained lies in its queue', detail: `${lying} messages` });
    for (let round = 0; round < 2; round++) {
      await new Operator(orderly).redriveAll();
      await orderly.rest();
    }
    return [...broken, ...brokenPromises(orderly, () => true), ...nothingFailedIsLeft(orderly)];
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
    for (const key of ['first', 'second', 'third']) await placed(orderly, 'alice', key);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/** Messages that can't be read, between good ones: each becomes a failure record, and nothing waits behind it. */
export const poison: Scenario = {
  name: 'poison',
  faultProbability: 0.01,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    // The last two are longer than an item may be; one of them even when it is packed.
    const half = '{"detail-type":"OrderPlaced","source":"orderly.orders","detail":{"id":"half"}}';
    const noise = cloud.world.random.fork('noise').fill(Buffer.alloc(450_000));
    const bodies = ['not JSON', '{}', half, 'x'.repeat(600_000), Buffer.from(noise).toString('base64')];
    for (const body of bodies) cloud.queue('Orders/Saga/Queue').send({ body });
    await placed(orderly, 'alice', 'good');
    await orderly.rest();
    const { sent, refused } = await new Operator(orderly).redriveAll();
    await orderly.rest();
    const { name, generation } = new Facts(orderly).listener('orders-saga');
    const keys = bodies.map((body) => recordKey({ name, generation }, idOfBody(body)));
    const broken = [...brokenPromises(orderly, ({ pk }) => keys.includes(pk))];
    const { records } = new Facts(orderly);
    for (const key of keys) {
      if (records.get(key)?.status !== 'FAILED')
        broken.push({ invariant: 'what cannot be read is visible as failed', detail: key });
    }
    if (refused.length < bodies.length)
      broken.push({ invariant: 'what cannot be read is never sent again', detail: `${sent} sent, ${refused}` });
    return broken;
  },
};

const failuresOf = (orderly: Orderly): readonly MessageRecord[] =>
  [...new Facts(orderly).records.values()].filter(({ status }) => status === 'FAILED');

function visibleAsFailed(orderly: Orderly, least: number): readonly Violation[] {
  const failed = failuresOf(orderly);
  if (failed.length >= least) return [];
  return [{ invariant: 'what an outage left is visible as failed', detail: `${failed.length} of ${least} failures` }];
}

/** What was sent again and failed again has a reason for each time. @param before keys of what had failed once */
const failedAgain = (orderly: Orderly, before: readonly string[]): readonly Violation[] =>
  failuresOf(orderly)
    .filter(({ pk, failures = [] }) => before.includes(pk) && failures.length < 2)
    .map(({ pk, failures }) => ({
      invariant: 'a redrive that fails again says so',
      detail: `${pk} ${JSON.stringify(failures)}`,
      about: pk,
    }));

function nothingFailedIsLeft(orderly: Orderly): readonly Violation[] {
  const facts = new Facts(orderly);
  const failed = [...facts.records.values()].filter(({ status }) => status === 'FAILED');
  const pending = [...facts.orders.keys()].filter((id) => facts.order(id)?.status === 'PENDING');
  return [
    ...failed.map(({ pk, failures }) => ({
      invariant: 'a redrive ends every failure',
      detail: `${pk} ${JSON.stringify(failures?.map(({ name, message }) => `${name} ${message}`))}`,
      about: pk,
    })),
    ...pending.map((id) => ({ invariant: 'after a redrive every order ends', detail: id, about: id })),
  ];
}
