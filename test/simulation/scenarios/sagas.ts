import type { Cloud } from '../../simulator/cloud.js';
import type { Scenario, Violation } from '../../simulator/search/scenario.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { Facts } from '../support/facts.js';
import { Operator } from '../support/operator.js';
import { type Call, Orderly } from '../support/orderly.js';
import { cancellationOf, DAY, HOUR, orderAt, orderOf, placed, productOf, stocked } from './shop.js';

const MINUTE = 60_000;

/** Amounts by which the sandbox behaves (`sandbox-amounts.ts`). */
const DECLINED = 40200;
const ANSWERED_LATE = 20200;
const TIMES_OUT = 50400;

const limitOf = (customer: string, amount: number): Call => ({
  method: 'PUT',
  path: `/accounts/${customer}/credit-limit`,
  as: 'operator',
  body: { creditLimit: { amount, currency: 'EUR' } },
});

/** An order whose payment is declined, with a duplicate of it, and a cancellation that comes too late, twice. */
export const declineOne: Scenario = {
  name: 'decline-one',
  faultProbability: 0.04,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1 });
    await orderly.call(productOf('TEA-1', DECLINED));
    const place = orderAt('alice', 'place', 'TEA-1', DECLINED);
    const { reply } = await orderly.call(place);
    orderly.begin(place);
    await orderly.rest();
    const cancel = cancellationOf('alice', reply.body.orderId, 'cancel');
    await orderly.call(cancel);
    orderly.begin(cancel);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/** An order that is cancelled while its stock is reserved, twice; its saga undoes what it did. */
export const cancelOne: Scenario = {
  name: 'cancel-one',
  faultProbability: 0.04,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1 });
    const { reply } = await placed(orderly, 'alice', 'place');
    const isAsked = (): boolean => events.accepted.some(({ event }) => event['detail-type'] === 'ReserveStock');
    // It may never come there: what the bus could not deliver is a failure record.
    const latest = world.now + MINUTE;
    await world.until(() => isAsked() || world.now >= latest);
    const cancel = cancellationOf('alice', reply.body.orderId, 'cancel');
    await orderly.call(cancel);
    orderly.begin(cancel);
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/**
 * An order for each end that a saga has: one that goes well, one without a charge, one refused at each of its steps, and
 * two that the provider charges with trouble. Each is placed twice.
 */
export const stepsRefused: Scenario = {
  name: 'steps-refused',
  faultProbability: 0.01,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 9, 'SOLD-OUT': 0 });
    for (const amount of [0, DECLINED, ANSWERED_LATE, TIMES_OUT]) {
      await stocked(orderly, { [`P-${amount}`]: 9 });
      await orderly.call(productOf(`P-${amount}`, amount));
    }
    await orderly.call(limitOf('poor', 100));
    await orderly.call(limitOf('alice', 1_000_000));
    const orders = [
      orderAt('alice', 'good', 'TEA-1', 350),
      orderAt('alice', 'free', 'P-0', 0),
      orderAt('alice', 'unknown', 'NOBODY-SELLS-IT', 350),
      orderAt('alice', 'other-price', 'TEA-1', 300),
      orderAt('poor', 'over-limit', 'TEA-1', 350),
      orderAt('alice', 'sold-out', 'SOLD-OUT', 350),
      ...[DECLINED, ANSWERED_LATE, TIMES_OUT].map((amount) => orderAt('alice', `P-${amount}`, `P-${amount}`, amount)),
    ];
    const random = world.random.fork('customers');
    for (const order of orders) {
      world.after(random.between(0, 2_000), () => orderly.begin(order));
      world.after(random.between(0, 4_000), () => orderly.begin(order));
    }
    await orderly.rest();
    return [...brokenPromises(orderly), ...endedAs(orderly, ENDS)];
  },
};

/** By key of the request. */
const ENDS: Readonly<Record<string, string>> = {
  good: 'APPROVED',
  free: 'APPROVED',
  unknown: 'REJECTED UNKNOWN_PRODUCT',
  'other-price': 'REJECTED PRICE_CHANGED',
  'over-limit': 'REJECTED OVER_LIMIT',
  'sold-out': 'REJECTED OUT_OF_STOCK',
  [`P-${DECLINED}`]: 'REJECTED PAYMENT_DECLINED',
  [`P-${ANSWERED_LATE}`]: 'APPROVED',
  [`P-${TIMES_OUT}`]: 'APPROVED',
};

function endedAs(orderly: Orderly, ends: Readonly<Record<string, string>>): readonly Violation[] {
  // An event that the bus could not deliver leaves its order to an operator.
  if (orderly.cloud.faults.made.some(({ kind }) => kind === 'undeliverable')) return [];
  const facts = new Facts(orderly);
  return orderly.answered.flatMap(({ path, key = '', reply }) => {
    if (path !== '/orders' || reply.status !== 201) return [];
    const id = String(reply.body.orderId);
    const { status = '', reason } = facts.order(id) ?? {};
    const found = `${status}${reason === undefined ? '' : ` ${reason}`}`;
    return found === ends[key]
      ? []
      : [{ invariant: 'an order ends for its reason', detail: `${key}: ${found}`, about: id }];
  });
}

/** The way from a step's command to its answer, per participant: who takes commands, who publishes answers. */
const PARTICIPANTS: readonly (readonly [string, readonly string[]])[] = [
  ['Catalog', ['Catalog/OnCommands']],
  ['Accounts', ['Accounts/OnCommands']],
  ['Inventory', ['Inventory/OnCommands']],
  ['Payments', ['Payments/OnCommands', 'Payments/OnProvider']],
];

/** Nothing of this name works for so long. */
const down = (cloud: Cloud, name: string, milliseconds: number): void => {
  cloud.fn(name).failsUntil = cloud.world.now + milliseconds;
};

/**
 * A participant's answers stay away for five minutes, its work is done: the saga asks once more, and hears what stands.
 * Each participant in its turn, with an order that is approved and one that is cancelled meanwhile.
 */
export const answersLate: Scenario = {
  name: 'answers-late',
  faultProbability: 0.003,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 20 });
    for (const [service] of PARTICIPANTS) {
      await orderly.rest();
      down(cloud, `${service}/Outbox/Relay`, 5 * MINUTE);
      await placed(orderly, 'alice', `kept-${service}`);
      const { reply } = await placed(orderly, 'alice', `cancelled-${service}`);
      world.after(2 * MINUTE, () => orderly.begin(cancellationOf('alice', reply.body.orderId, `cancel-${service}`)));
      await orderly.rest();
    }
    return brokenPromises(orderly, () => false);
  },
};

/**
 * A participant takes no commands until its step is given up: what may have been done is undone, and what is asked for late
 * meets a tombstone. Each participant in its turn.
 */
export const deadlinesPass: Scenario = {
  name: 'deadlines-pass',
  faultProbability: 0.003,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 20 });
    for (const [service, functions] of PARTICIPANTS) {
      for (const name of functions) down(cloud, name, 2 * HOUR);
      await placed(orderly, 'alice', `late-${service}`);
      await orderly.rest();
      await cloud.world.pass(2 * HOUR);
      const left = await new Operator(orderly).redriveAll();
      if (left.sent > 0) await orderly.rest();
    }
    await placed(orderly, 'alice', 'after');
    await orderly.rest();
    const ends = Object.fromEntries(PARTICIPANTS.map(([service]) => [`late-${service}`, 'REJECTED TIMED_OUT']));
    const broken = brokenPromises(orderly, () => true);
    return [...broken, ...endedAs(orderly, { ...ends, after: 'APPROVED' })];
  },
};

/** Who has a part in an order is down for a day and two hours; three days later an operator sends what failed again. */
export const participantFails: Scenario = {
  name: 'participant-fails-26-hours',
  faultProbability: 0.003,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    down(cloud, 'Inventory/OnCommands', 26 * HOUR);
    for (const key of ['first', 'second']) await placed(orderly, 'alice', key);
    const { reply } = await placed(orderly, 'alice', 'cancelled');
    await orderly.call(cancellationOf('alice', reply.body.orderId, 'cancel'));
    await orderly.rest();
    await world.pass(3 * DAY);
    await placed(orderly, 'alice', 'after');
    await new Operator(orderly).redriveAll();
    await orderly.rest();
    return brokenPromises(orderly, () => true);
  },
};

/**
 * What the provider charged can't be committed for 30 hours: it has forgotten its keys by then, and the saga has given up
 * and undoes what it doesn't know. Three days later an operator sends what failed again.
 */
export const keysForgotten: Scenario = {
  name: 'keys-forgotten',
  faultProbability: 0.002,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 10 });
    const until = world.now + 30 * HOUR;
    cloud.calls.interceptor = {
      before: ({ fn, request, body }) =>
        world.now < until &&
        fn.label === 'Payments/OnProvider' &&
        request.operation === 'TransactWriteItems' &&
        body.includes('PaymentCharged')
          ? 'refused'
          : undefined,
      after: () => undefined,
    };
    await placed(orderly, 'alice', 'first');
    const { reply } = await placed(orderly, 'alice', 'cancelled');
    world.after(HOUR / 2, () => orderly.begin(cancellationOf('alice', reply.body.orderId, 'cancel')));
    await orderly.rest();
    await world.pass(3 * DAY);
    await new Operator(orderly).redriveAll();
    await orderly.rest();
    return [...brokenPromises(orderly, () => true), ...noneIsStuck(orderly)];
  },
};

/**
 * What a saga did can't be undone for longer than it tries: it is stuck, where an operator sees it, and goes on when it is
 * told to.
 */
export const stuck: Scenario = {
  name: 'stuck',
  faultProbability: 0.002,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'SOLD-OUT': 0 });
    const isAuthorized = (): boolean =>
      events.accepted.some(({ event }) => event['detail-type'] === 'AccountAuthorized');
    await orderly.call(orderOf('alice', 'refused', ['SOLD-OUT']));
    const latest = world.now + MINUTE;
    await world.until(() => isAuthorized() || world.now >= latest);
    down(cloud, 'Accounts/OnCommands', 5 * DAY);
    await orderly.rest();
    const waiting = [...new Facts(orderly).stuck];
    const broken =
      cloud.faults.made.length > 0 || waiting.length === 1
        ? []
        : [{ invariant: 'what could not be undone is stuck', detail: `${waiting.length} sagas` }];
    await world.pass(6 * DAY);
    for (const id of waiting) new Operator(orderly).retrySaga(id);
    await orderly.rest();
    return [...broken, ...brokenPromises(orderly, () => true), ...noneIsStuck(orderly)];
  },
};

function noneIsStuck(orderly: Orderly): readonly Violation[] {
  return [...new Facts(orderly).stuck].map((id) => ({
    invariant: 'a stuck saga goes on once its cause is mended',
    detail: id,
    about: id,
  }));
}
