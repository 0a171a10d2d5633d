import type { AccountEvent } from '../../../lambdas/accounts/contract.js';
import {
  buildEntry,
  COUNTED_TYPES,
  type CountedEvent,
  orderIdOf,
  type PaidOrder,
} from '../../../lambdas/rewards/domain/entries.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Auditor } from '../../support/simulation/auditor.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly, type Row } from '../../support/simulation/orderly.js';
import { Rebuilds } from '../../support/simulation/rebuilds.js';
import { Restorer } from '../../support/simulation/restorer.js';
import { violation } from '../invariants/violation.js';
import { MINUTE, orderOf, productOf, stocked } from './shop.js';

/** Services that can be restored: all that have tables of their own. */
export const RESTORED = [
  'orders',
  'inventory',
  'accounts',
  'payments',
  'catalog',
  'baskets',
  'users',
  'rewards',
  'reports',
] as const;
type Restored = (typeof RESTORED)[number];

/** Consumers to whose queues nothing is sent again after a restore: the provider has forgotten nothing (runbook). */
const AT_PROVIDER: readonly string[] = ['payments-provider', 'payments-commands'];

/** Tables and keys of copies of another service's aggregates. */
const COPIES: Readonly<Record<string, RegExp>> = {
  baskets: /^(PRODUCT|Basket)#/,
  orders: /^USER#/,
  payments: /^ACCOUNT#/,
  rewards: /^REWARDS#/,
};

/**
 * A service goes back to an instant at which orders are under way, by `restore apply`, which is killed now and then. Others have
 * heard what it forgets. Then an operator takes the runbook's steps, and everything changes again: prices, statuses, orders of old and new
 * customers. In the end every fact that its tables still have is sent again to the consumers of other services.
 */
export const restoredTo = (service: Restored): Scenario => ({
  name: `restored-${service}`,
  faultProbability: 0.002,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud, ['rewards', 'reports']);
    const auditor = new Auditor(orderly);
    const ordered = async (as: string, key: string) =>
      (await orderly.call(orderOf(as, key, ['TEA-1']))).reply.body.orderId;
    await stocked(orderly, { 'TEA-1': 100, 'TEA-2': 100 });
    await orderly.rest();
    await orderly.call({ method: 'PUT', path: '/basket/items/TEA-2', as: 'alice', body: { quantity: 1 } });
    await changed(orderly, 500, 'SUSPECT', 'CLOSED');
    // Hal never orders again, so that all facts about him are from before the restore.
    for (const customer of ['alice', 'bob', 'hal']) await ordered(customer, 'before');
    await orderly.rest();
    for (const customer of ['alice', 'bob', 'erin']) orderly.begin(orderOf(customer, 'under way', ['TEA-1']));
    await world.pass(world.random.fork('instant').between(0, 3_000));
    const at = new Date(Math.ceil(world.now / 1_000) * 1_000).toISOString();
    await world.pass(2_000);
    for (const customer of ['alice', 'fay']) await ordered(customer, 'forgotten');
    // More versions than come again afterwards.
    await changed(orderly, 900, 'BLOCKED', 'OPEN');
    await changed(orderly, 910, 'ACTIVE', 'CLOSED');
    await changed(orderly, 920, 'BLOCKED', 'OPEN');
    await world.pass(6 * MINUTE);
    orderly.begin(orderOf('gus', 'meanwhile', ['TEA-1']));
    await new Restorer(orderly).restore(service, at);
    await orderly.rest();
    await afterwards(orderly, auditor, service);
    await atRest(orderly);

    await changed(orderly, 400, 'ACTIVE', 'CLOSED');
    await changed(orderly, 450, 'SUSPECT', 'OPEN');
    const orders: unknown[] = [];
    for (const customer of ['alice', 'bob', 'erin', 'fay', 'gus', 'new']) orders.push(await ordered(customer, 'after'));
    await atRest(orderly);
    const copies = copiesOf(orderly);
    await sentAgain(orderly, service);
    await atRest(orderly);
    return [
      ...(await approved(orderly, orders)),
      ...(await followed(orderly)),
      ...pointsAreRight(orderly),
      ...nobodyWaits(orderly),
      ...copiesStand(orderly, copies),
    ];
  },
});

/** Lets everything end. What a fault made fail is redriven by an operator: a message that can't be delivered is one of them. */
async function atRest(orderly: Orderly): Promise<void> {
  await orderly.rest();
  const operator = new Operator(orderly);
  for (let round = 0; round < REDRIVES && (await operator.redriveAll()).sent > 0; round++) await orderly.rest();
}

/** Times that an operator redrives: a fault may hit what is sent again, too. */
const REDRIVES = 3;

/** An operator sets a price, the status of a user, and that of an account. */
async function changed(orderly: Orderly, price: number, user: string, account: string): Promise<void> {
  await orderly.call(productOf('TEA-2', price));
  const status = (path: string, value: string, more: object = {}) =>
    orderly.call({ method: 'PUT', path, as: 'operator', body: { status: value, ...more } });
  await status('/users/carol/status', user);
  await status('/accounts/dave/status', account, { reason: 'by a scenario' });
  await orderly.rest();
}

/** Steps 7 and 8 of the runbook. */
async function afterwards(orderly: Orderly, auditor: Auditor, service: Restored): Promise<void> {
  const { consumers = [] } = orderly.services.find(({ name }) => name === service) ?? {};
  await orderly.cloud.world.pass(16 * MINUTE);
  for (const { name, projection } of consumers) {
    if (projection) await new Rebuilds(orderly).through(name);
    else if (!AT_PROVIDER.includes(name)) await auditor.audit(true, { consumer: name });
  }
}

/** Consumers that keep copies of others, or count them. */
const COPYING: readonly string[] = [
  'baskets-products',
  'orders-users',
  'orders-reviews',
  'payments-accounts',
  'rewards-accounts',
];

/**
 * Has every commit that a service's table still has published again, by its relay, as a redrive does. Consumers that keep copies have no
 * record of them any more: for them, each was lost.
 */
async function sentAgain({ cloud, services }: Orderly, service: Restored): Promise<void> {
  const from = services.find(({ name }) => name === service);
  const relay = [...cloud.functions.values()].find(({ resource }) => resource.ref === from?.relay);
  if (!from || !relay) throw new Error(`there is no relay of ${service}`);
  for (const { records, consumers } of services)
    for (const { name } of consumers.filter(({ name }) => COPYING.includes(name)))
      for (const { pk = { S: '' } } of cloud.dynamodb.items(records)) {
        const key = 'S' in pk ? String(pk.S) : '';
        if (key.startsWith(`${name}@`) && !key.endsWith('#CURSOR'))
          cloud.dynamodb.call('DeleteItem', { TableName: records, Key: { pk } });
      }
  const commits = cloud.dynamodb
    .items(from.table)
    .filter(({ sk }) => sk && 'S' in sk && String(sk.S).startsWith('COMMIT#'));
  for (let at = 0; at < commits.length; at += 100) {
    const Records = commits.slice(at, at + 100).map((NewImage, number) => ({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      dynamodb: { Keys: { pk: NewImage.pk, sk: NewImage.sk }, NewImage, SequenceNumber: String(number + 1) },
    }));
    let isOver = false;
    relay.invoke({ Records }, () => {
      isOver = true;
    });
    await cloud.world.until(() => isOver);
  }
}

const itemsOf = (orderly: Orderly, service: string): readonly Row[] =>
  orderly.itemsOf(orderly.services.find(({ name }) => name === service)?.table ?? '');

/** Copies of other services' aggregates, as text. */
const copiesOf = (orderly: Orderly): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(COPIES).flatMap(([service, keys]) =>
      itemsOf(orderly, service)
        .filter(({ pk, sk }) => keys.test(String(pk)) && !String(sk).startsWith('COMMIT#'))
        .map((item) => [`${service} ${item.pk} ${item.sk}`, JSON.stringify(item)] as const),
    ),
  );

function copiesStand(orderly: Orderly, before: ReadonlyMap<string, string>): readonly Violation[] {
  const invariant = 'what is sent again from before changes nothing that is newer';
  return [...copiesOf(orderly)].flatMap(([key, now]) =>
    before.get(key) === now ? [] : [violation(invariant, `${now}, before ${before.get(key)}`, key)],
  );
}

async function approved(orderly: Orderly, orders: readonly unknown[]): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  for (const orderId of orders) {
    const { reply } = await orderly.call({ method: 'GET', path: `/orders/${String(orderId)}`, as: 'operator' });
    if (reply.body.status !== 'APPROVED')
      found.push(violation('an order after a restore is approved', JSON.stringify(reply.body), String(orderId)));
  }
  return found;
}

/** Copies show the newest change of their aggregate. */
async function followed(orderly: Orderly): Promise<readonly Violation[]> {
  const { reply } = await orderly.call({ method: 'GET', path: '/basket', as: 'alice' });
  const prices = (reply.body.lines as readonly { unitPrice: { amount: number } }[] | undefined)?.map(
    ({ unitPrice }) => unitPrice.amount,
  );
  const row = (service: string, key: string): Row | undefined =>
    itemsOf(orderly, service).find(({ pk, sk }) => pk === key && sk === 'STATUS');
  const told = JSON.stringify([prices, row('orders', 'USER#carol')?.status, row('payments', 'ACCOUNT#dave')?.status]);
  return told === '[[450],"SUSPECT","OPEN"]' ? [] : [violation('copies follow what changes after a restore', told)];
}

/** A customer's points are those of the events that their account still has. */
function pointsAreRight(orderly: Orderly): readonly Violation[] {
  const wanted = new Map<string, number>();
  const orders = new Map<string, PaidOrder>();
  for (const { pk, sk, at, events } of itemsOf(orderly, 'accounts')) {
    if (!String(pk).startsWith('Account#') || !String(sk).startsWith('COMMIT#')) continue;
    for (const { type, data } of events as readonly { type: string; data: string }[]) {
      if (!(COUNTED_TYPES as readonly string[]).includes(type)) continue;
      const event = { type, data: JSON.parse(data) } as AccountEvent as CountedEvent;
      const { entry, order } = buildEntry(event, String(at), orders.get(orderIdOf(event) ?? ''));
      if (order) orders.set(order.orderId, order);
      wanted.set(event.data.customerId, (wanted.get(event.data.customerId) ?? 0) + entry.points);
    }
  }
  return itemsOf(orderly, 'rewards').flatMap(({ pk, sk, standing }) => {
    if (sk !== 'STANDING') return [];
    const customer = String(pk).slice('REWARDS#'.length);
    const { points } = JSON.parse(String(standing)) as { points: number };
    const right = wanted.get(customer) ?? 0;
    return points === right
      ? []
      : [violation('points follow from what accounts remember', `${points}, not ${right}`, customer)];
  });
}

/** No message is parked for ever, and none has failed. */
const nobodyWaits = (orderly: Orderly): readonly Violation[] =>
  orderly.services.flatMap(({ records }) =>
    orderly
      .itemsOf(records)
      .filter(
        ({ status, parkedAt, duePk }) =>
          status === 'FAILED' || (status === 'PENDING' && parkedAt !== undefined && duePk),
      )
      .map((item) => violation('after a restore no message is parked or fails', JSON.stringify(item), String(item.pk))),
  );
