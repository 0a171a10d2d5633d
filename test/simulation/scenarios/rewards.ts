import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountCommand } from '../../../lambdas/accounts/contract.js';
import { REWARDS } from '../../../lambdas/rewards/keys.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Facts } from '../../support/simulation/facts.js';
import { createDocumentClient, Operator } from '../../support/simulation/operator.js';
import { Orderly, type Row } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { bonusOf, limitOf, stepsOf } from './accounts.js';
import { DAY, placed, stocked } from './shop.js';

const INBOX = 'rewards-accounts';

/** Returns a refund of a part. */
const refundOf = ({ type, data }: ReturnType<typeof stepsOf>['refund'], refundId: string, amount: number) => ({
  type,
  data: { ...data, refundId, stepId: `${data.stepId} ${refundId}`, amount: { ...data.amount, amount } },
});

type Accepted = Cloud['events']['accepted'][number];

const isOf = (detail: unknown, customer: string): boolean =>
  (detail as { subject?: string }).subject === `Account/${customer}`;

/** Returns the message in the queue about the same event of another customer's account. */
function copyFor(customer: string, { event }: Accepted, change: { readonly time?: string } = {}): string {
  const { id, data, ...envelope } = event.detail as { id: string; data: object };
  const copy = { id: `${customer}-${id}`, subject: `Account/${customer}`, data: { ...data, customerId: customer } };
  const detail = { ...envelope, ...copy, ...change };
  return JSON.stringify({ source: event.source, 'detail-type': event['detail-type'], detail });
}

const tableIn = ({ services }: Orderly): string => services.find(({ name }) => name === 'rewards')?.table ?? '';

/** Rewards of customers with the same history are the same bytes, whatever order it arrived in. */
function sameRewards(orderly: Orderly, customer: string, other: string): readonly Violation[] {
  const itemsOf = (id: string) =>
    orderly.itemsOf(tableIn(orderly)).flatMap(({ pk, ...item }) => (pk === REWARDS + id ? [JSON.stringify(item)] : []));
  const [found, wanted] = [itemsOf(other).sort().join(), itemsOf(customer).sort().join()];
  const invariant = 'rewards are the same, whatever order the events arrive in';
  return found === wanted ? [] : [{ invariant, detail: `${found}, not ${wanted}`, about: other }];
}

/**
 * Points of two customers: purchases that are refunded, and bonuses; and an order of another one, which is charged. The
 * events of a third one, who has alice's history, come in reverse, three times each, and so do alice's once more. Alice reads
 * her rewards meanwhile. A year later, one of them gets a bonus.
 */
export const rewardsInOrder: Scenario = {
  name: 'rewards-in-order',
  faultProbability: 0.01,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud, ['rewards']);
    const send = sender<AccountCommand>(cloud, 'accounts');
    for (const customer of ['alice', 'bob']) await orderly.call(limitOf(customer, 10_000_00));
    const [one, other] = [stepsOf('alice', 'one', 600_50), stepsOf('alice', 'other', 600_00)];
    for (const steps of [one, other, stepsOf('bob', 'third', 99)]) send(steps.authorize);
    // An order on its whole way: what gives no points has its place in the order of events, too.
    await stocked(orderly, { 'TEA-1': 1 });
    await placed(orderly, 'dora', 'order');
    await orderly.rest();
    for (const steps of [one, other, stepsOf('bob', 'third', 99)]) send(steps.capture);
    orderly.begin(bonusOf('bob', 1_000, 'welcome'));
    await orderly.rest();
    for (const [refundId, amount] of [
      ['part', 60],
      ['rest', 100_00],
    ] as const)
      send(refundOf(one.refund, refundId, amount));
    orderly.begin({ method: 'GET', path: '/rewards/me', as: 'alice' });
    orderly.begin(bonusOf('alice', 40, 'sorry'));
    await orderly.rest();
    const told = events.accepted.filter(({ event }) => isOf(event.detail, 'alice')).toReversed();
    const queue = orderly.findQueue(INBOX);
    for (let round = 0; round < 3; round++) for (const one of told) queue.send({ body: copyFor('carol', one) });
    for (const { bus, event } of told) {
      events.put(bus, { source: event.source, detailType: event['detail-type'], detail: event.detail });
    }
    await orderly.rest();
    for (const path of ['/rewards/me', '/rewards/me?limit=1']) await orderly.call({ method: 'GET', path, as: 'alice' });
    await orderly.call({ method: 'GET', path: '/rewards/bob', as: 'operator' });
    await orderly.rest();
    // The first day of his points is in the year before.
    await world.pass(365 * DAY);
    await orderly.call(bonusOf('bob', 10, 'a-year-later'));
    await orderly.rest();
    return [...brokenPromises(orderly), ...sameRewards(orderly, 'alice', 'carol')];
  },
};

/** Points of an event that its consumer can't read. */
const UNREADABLE = 13;

/** Breaks the event with these points on its way to the inbox. @returns its id, once it has come */
function breaking(orderly: Orderly): () => string {
  const queue = orderly.findQueue(INBOX);
  const send = queue.send.bind(queue);
  let broken = '';
  queue.send = (message, sentAt) => {
    const { detail, ...rest } = JSON.parse(message.body);
    if (detail?.data?.points !== UNREADABLE) return send(message, sentAt);
    broken = detail.id;
    const body = JSON.stringify({ ...rest, detail: { ...detail, data: { ...detail.data, points: 'many' } } });
    return send({ ...message, body }, sentAt);
  };
  return () => broken;
}

/** Breaks a customer's stored standing. @returns repairs it */
async function breakStanding(orderly: Orderly, customer: string): Promise<() => Promise<unknown>> {
  const documents = createDocumentClient(orderly.cloud);
  const TableName = tableIn(orderly);
  const isStanding = ({ pk, sk }: Row): boolean => pk === REWARDS + customer && sk === 'STANDING';
  const standing = orderly.itemsOf(TableName).find(isStanding) ?? {};
  await documents.send(new PutCommand({ TableName, Item: { ...standing, standing: '{' } }));
  return () => documents.send(new PutCommand({ TableName, Item: { ...standing } }));
}

/**
 * Two messages of the inbox fail for good: alice's event can't be read, and bob's standing is broken for longer than all attempts.
 * Each holds back its own customer and not carol. Dora's events wait for her first one, and two of them are older than
 * records are kept. An operator retries what has failed too early, discards alice's, and retries bob's.
 */
export const rewardsHeldBack: Scenario = {
  name: 'rewards-held-back',
  faultProbability: 0.005,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud, ['rewards']);
    const operator = new Operator(orderly);
    const queue = orderly.findQueue(INBOX);
    const idOfUnreadable = breaking(orderly);
    const bonus = (customer: string, points: number) =>
      orderly.call(bonusOf(customer, points, `${customer}-${points}`));
    // Each account has its opening and four bonuses.
    for (const customer of ['alice', 'bob', 'carol']) await bonus(customer, 10);
    await orderly.rest();
    const repair = await breakStanding(orderly, 'bob');
    for (const points of [UNREADABLE, 30, 40]) await bonus('alice', points);
    for (const points of [20, 30, 40]) for (const customer of ['bob', 'carol']) await bonus(customer, points);
    await orderly.rest();
    const [opened, ...bonuses] = events.accepted
      .filter(({ event }) => isOf(event.detail, 'carol'))
      .toSorted((one, other) => sequenceOf(one) - sequenceOf(other))
      .filter((one, at, all) => at === 0 || sequenceOf(one) !== sequenceOf(all[at - 1]));
    const old = { time: new Date(world.now - 40 * DAY).toISOString() };
    for (const [at, one] of bonuses.entries()) queue.send({ body: copyFor('dora', one, at % 2 === 0 ? old : {}) });
    await orderly.rest();
    // An event that EventBridge could not deliver for a day holds back its customer, too, until the redrive.
    const lasting = cloud.faults.injected.some(({ kind }) => kind === 'undeliverable');
    const broken = lasting ? [] : [...standsAt(orderly, { alice: 2, bob: 2, carol: 5, dora: 0 })];

    await operator.redriveAll();
    await orderly.rest();
    broken.push(...standsAt(orderly, { alice: 2, bob: 2, carol: 5, dora: 0 }));

    await operator.discard(INBOX, idOfUnreadable());
    if (opened) queue.send({ body: copyFor('dora', opened) });
    await orderly.rest();
    broken.push(...standsAt(orderly, { alice: 5, bob: 2, carol: 5, dora: 5 }));

    await repair();
    for (let round = 0; round < 2; round++) {
      await operator.redriveAll(true);
      await orderly.rest();
    }
    broken.push(...standsAt(orderly, { alice: 5, bob: 5, carol: 5, dora: 5 }));
    for (const [customer, points] of Object.entries({ alice: 80, bob: 100, carol: 100, dora: 100 })) {
      const { reply } = await orderly.call({ method: 'GET', path: `/rewards/${customer}`, as: 'operator' });
      const invariant = 'a discarded event gives no points, and a redriven one gives its own';
      const detail = `${customer}: ${reply.body.points}, not ${points}`;
      if (reply.body.points !== points) broken.push({ invariant, detail, about: customer });
    }
    return [...broken, ...brokenPromises(orderly)];
  },
};

const sequenceOf = (accepted: Accepted | undefined): number =>
  Number((accepted?.event.detail as { readonly sequence?: number } | undefined)?.sequence);

/** Each customer's cursor stands before what failed; a customer without a failure has everything. */
function standsAt(orderly: Orderly, places: Readonly<Record<string, number>>): readonly Violation[] {
  const facts = new Facts(orderly);
  const listener = facts.listener(INBOX);
  const invariant = 'a failed message holds back its own subject only, until it is redriven or discarded';
  return Object.entries(places).flatMap(([customer, place]) => {
    const found = facts.lastPosition(listener, `Account/${customer}`);
    return found === place ? [] : [{ invariant, detail: `${customer}: at ${found}, not ${place}`, about: customer }];
  });
}
