import { bodyHashId } from '../../../packages/kit/failures/delivery.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts, type MessageRecord } from '../../support/simulation/facts.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, DAY, HOUR, MINUTE, orderOf, placed, stocked } from './shop.js';

/** The orders' relay fails for 26 hours, longer than its stream keeps a record. */
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
    // Events after the outage are published.
    await world.pass(2 * DAY);
    await orderly.call(orderOf('alice', 'after', ['TEA-1']));
    await orderly.rest();
    return brokenPromises(orderly, ({ pk }) => pk.startsWith('relay@'));
  },
};

/** The same outage, and each failed batch is overwritten before anyone has read it. */
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

/** Enough commits that one of ten lanes, over which their keys spread them, gets more than fit into one PutEvents. */
const COUNTS = 90;

/**
 * The stock's relay fails for ten minutes, while an operator counts a SKU again and again. Then the bus throttles its calls of
 * several entries for longer than an invocation takes, so a batch of many records is left unsent.
 */
export const relayCatchesUp: Scenario = {
  name: 'relay-catches-up',
  faultProbability: 0.005,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    cloud.fn('Inventory/Outbox/Relay').failsUntil = world.now + 10 * MINUTE;
    const every = new Map(Array.from({ length: 10 }, (_, at) => [at, 'ThrottlingException']));
    let until: number | undefined;
    cloud.calls.interceptor = {
      beforeCall: ({ fn, request, body }) => {
        if (fn.label !== 'Inventory/Outbox/Relay' || request.operation !== 'PutEvents') return undefined;
        const { Entries } = JSON.parse(body) as { readonly Entries: readonly unknown[] };
        if (Entries.length > 1) until ??= world.now + MINUTE;
        return Entries.length > 1 && world.now < (until ?? 0) ? every : undefined;
      },
      afterCall: () => undefined,
    };
    for (let onHand = 1; onHand <= COUNTS; onHand++) await stocked(orderly, { 'TEA-1': onHand });
    await orderly.rest();
    await placed(orderly, 'alice', 'after');
    await orderly.rest();
    return brokenPromises(orderly, () => false);
  },
};

/** The function that runs the sagas fails for 26 hours; two days later an operator redrives the failures, twice. */
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
    // This redrive is too early: the consumer is still down.
    const failed = failuresOf(orderly).map(({ pk }) => pk);
    await operator.redriveAll();
    await orderly.rest();
    broken.push(...failedAgain(orderly, failed));
    await world.pass(2 * DAY);
    await placed(orderly, 'alice', 'after');
    await operator.redriveAll();
    await operator.redriveAll();
    await orderly.rest();
    // EventBridge gives up an undelivered event after a day, and then perhaps one that a redrive led to.
    for (let round = 0; round < 3; round++) {
      await operator.redriveAll();
      await orderly.rest();
    }
    return [...broken, ...brokenPromises(orderly, () => true), ...nothingFailedIsLeft(orderly)];
  },
};

/** An operator redrives the failures of a relay and a consumer after this many days; then every order ends. */
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
    // The first redrive covers the original failures, through their relay or consumer.
    await operator.redriveAll();
    await orderly.rest();
    // The next ones cover messages that were too old by then; repeated, since a fault may have kept the relay from
    // publishing them the first time.
    for (let round = 0; round < 3; round++) {
      await operator.redriveAll(true);
      await orderly.rest();
    }
    return [...broken, ...brokenPromises(orderly, () => true), ...nothingFailedIsLeft(orderly)];
  },
});

export const redriveDaysLater = redriveLater('redrive-days-later', 3);
/**
 * After the deduplication window: consumers quarantine what the relay publishes, until an operator confirms that it was
 * not done.
 */
export const redriveWeeksLater = redriveLater('redrive-weeks-later', 40);

/**
 * Messages that a consumer gave up stay in its dead-letter queue for almost the queue's retention, because the drain
 * fails too; then the queue is drained, and an operator redrives them.
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
    const lying = cloud.queue('Orders/Saga/DeadLetters').listMessages().length;
    await placed(orderly, 'alice', 'after');
    await orderly.rest();
    const broken = [...visibleAsFailed(orderly, 3)];
    if (lying < 3)
      broken.push({
        invariant: 'a message that is not drained stays in its dead-letter queue',
        detail: `${lying} messages`,
      });
    for (let round = 0; round < 2; round++) {
      await new Operator(orderly).redriveAll();
      await orderly.rest();
    }
    return [...broken, ...brokenPromises(orderly, () => true), ...nothingFailedIsLeft(orderly)];
  },
};

/** A bus refuses an entry for good with this code. */
const MALFORMED = 'MalformedDetail';

/**
 * The bus refuses every entry for 20 minutes; by seed, one of them as if it could never be sent, while DynamoDB takes no record of
 * that failure: the relay must not go on.
 */
export const busRefuses: Scenario = {
  name: 'bus-refuses',
  faultProbability: 0.01,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    await orderly.rest();
    const { world } = cloud;
    cloud.events.refusesUntil = world.now + 20 * 60_000;
    const isUnrecorded = world.random.fork('unrecorded').chance(0.5);
    let unrecorded: number | undefined;
    cloud.calls.interceptor = isUnrecorded
      ? {
          beforeCall: ({ fn, request: { operation } }) => {
            if (fn.label !== 'Orders/Outbox/Relay') return undefined;
            if (operation === 'PutItem') return world.now < (unrecorded ?? 0) ? 'refused' : undefined;
            if (operation !== 'PutEvents' || unrecorded !== undefined) return undefined;
            unrecorded = world.now + 30_000;
            return new Map([[0, MALFORMED]]);
          },
          afterCall: () => undefined,
        }
      : undefined;
    for (const key of ['first', 'second', 'third']) await placed(orderly, 'alice', key);
    await orderly.rest();
    // The relay's own failures are meant then, and leave no record, unless a fault came before the interceptor's refusal.
    const mayRecord = cloud.faults.injected.some(({ point }) => point.startsWith('Orders/Outbox/Relay call '));
    return brokenPromises(orderly, isUnrecorded ? ({ pk }) => mayRecord && pk.startsWith('relay@') : undefined);
  },
};

/** Message of a release that never comes. */
const NEWER = '019b8b00-0000-7000-8000-00000000beef';

/** Returns the body of an event in a version that no release writes yet. */
function newerBody(now: number): string {
  const detail = {
    id: NEWER,
    source: 'orderly.orders',
    type: 'OrderPlaced',
    subject: `Order/${NEWER}`,
    time: new Date(now).toISOString(),
    dataschema: 'urn:orderly:orders:OrderPlaced:99',
    data: { orderId: NEWER },
    sequence: 1,
    epoch: 0,
    correlationid: NEWER,
    causationid: NEWER,
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    actor: 'service:orders',
  };
  return JSON.stringify({ source: detail.source, 'detail-type': detail.type, detail });
}

/**
 * Unreadable messages between good ones, and one of a newer release: each becomes a failure record, and it blocks no other
 * message.
 */
export const poison: Scenario = {
  name: 'poison',
  faultProbability: 0.01,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    // The last two exceed the size limit of an item, one of them even compressed.
    const half = '{"detail-type":"OrderPlaced","source":"orderly.orders","detail":{"id":"half"}}';
    const noise = cloud.world.random.fork('noise').fill(Buffer.alloc(450_000));
    const bodies = ['not JSON', '{}', half, 'x'.repeat(600_000), Buffer.from(noise).toString('base64')];
    const queue = cloud.queue('Orders/Saga/Queue');
    // No feed knows these, so nobody would miss one that is lost.
    const arrives = (body: string): boolean => {
      const id = queue.send({ body });
      return queue.listMessages().some((message) => message.id === id);
    };
    const unreadable = bodies.filter(arrives);
    const newerArrived = arrives(newerBody(cloud.world.now));
    await placed(orderly, 'alice', 'good');
    await orderly.rest();
    const { sent, refused } = await new Operator(orderly).redriveAll();
    await orderly.rest();
    const { name, generation } = new Facts(orderly).listener('orders-saga');
    const keys = unreadable.map((body) => recordKey({ name, generation }, bodyHashId(body)));
    const newer = recordKey({ name, generation }, NEWER);
    const broken = [...brokenPromises(orderly, ({ pk }) => pk === newer || keys.includes(pk))];
    const { records } = new Facts(orderly);
    for (const key of [...keys, ...(newerArrived ? [newer] : [])]) {
      if (records.get(key)?.status !== 'FAILED')
        broken.push({ invariant: 'an unreadable message is visible as failed', detail: key });
    }
    if (refused.length < unreadable.length)
      broken.push({ invariant: 'an unreadable message is never redriven', detail: `${sent} sent, ${refused}` });
    return broken;
  },
};

const failuresOf = (orderly: Orderly): readonly MessageRecord[] =>
  [...new Facts(orderly).records.values()].filter(({ status }) => status === 'FAILED');

function visibleAsFailed(orderly: Orderly, least: number): readonly Violation[] {
  const failed = failuresOf(orderly);
  if (failed.length >= least) return [];
  return [
    { invariant: 'messages of an outage are visible as failed', detail: `${failed.length} of ${least} failures` },
  ];
}

/**
 * Checks that a redriven message that failed again has a reason for each failure.
 * @param before keys of earlier failures
 */
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
