import type { DeliveryView } from '../../../lambdas/webhooks/contract.js';
import { OFFERED_TYPES, type OfferedType } from '../../../lambdas/webhooks/payloads.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { type Behaviour, hostAt, Receiver } from '../../support/simulation/receivers.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { violation } from '../invariants/violation.js';
import { disabledWithMail, type Watched, webhooksKept } from '../invariants/webhooks.js';
import { cancellationOf, DAY, dispatchOf, HOUR, placed, stocked } from './shop.js';

/** How a webhook of a scenario is registered. */
interface Wanted {
  readonly name: string;
  readonly host?: string;
  readonly behaves?: Behaviour;
  /** Shop that registers it. @default an operator, who receives events of all orders */
  readonly shop?: string;
  readonly inOrder?: boolean;
  readonly events?: readonly OfferedType[];
  readonly isGivenUp?: boolean;
}

/** A webhook of a scenario. */
export type Registered = Watched & Pick<Wanted, 'shop'>;

/** Callers of the routes of webhooks. */
const asOwner = (shop: string | undefined) =>
  shop === undefined ? { as: 'operator' } : ({ as: shop, role: 'shop' } as const);

/** A shop, its receivers, and what the API says of their webhooks. */
export class Webhooks {
  readonly orderly: Orderly;
  readonly watched: Registered[] = [];

  constructor(readonly cloud: Cloud) {
    this.orderly = new Orderly(cloud);
  }

  async register({ name, host, behaves, shop, inOrder = false, events = OFFERED_TYPES, isGivenUp }: Wanted) {
    const { cloud, orderly } = this;
    const receiver = new Receiver(cloud, host ?? `${name}.example.com`, behaves);
    const body = { url: receiver.url, events, ...(inOrder && { inOrder }) };
    const { reply } = await orderly.call({ method: 'POST', path: '/webhooks', ...asOwner(shop), key: name, body });
    const { webhookId, secret } = reply.body;
    if (reply.status !== 201) throw new Error(`${name}: ${reply.status} ${JSON.stringify(reply.body)}`);
    receiver.secrets.push(String(secret));
    const watched = {
      name,
      receiver,
      webhookId: String(webhookId),
      ...(shop !== undefined && { customerId: shop, shop }),
      inOrder,
      events,
      ...(isGivenUp && { isGivenUp }),
      since: cloud.world.now,
    };
    this.watched.push(watched);
    return watched;
  }

  /** Calls a route of a webhook as its owner. */
  call({ webhookId, shop }: Registered, method: 'GET' | 'POST' | 'DELETE', path: string, key?: string) {
    const of = { method, path: `/webhooks/${webhookId}${path}`, ...asOwner(shop) } as const;
    return this.orderly.call({ ...of, ...(key !== undefined && { key }) });
  }

  /** Reads all deliveries of a webhook, page by page. */
  async readDeliveries(one: Registered): Promise<readonly DeliveryView[]> {
    const all: DeliveryView[] = [];
    for (let cursor: unknown = ''; cursor !== undefined; ) {
      const { reply } = await this.call(one, 'GET', `/deliveries?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`);
      all.push(...(reply.body.items as DeliveryView[]));
      cursor = reply.body.nextCursor;
    }
    return all;
  }

  /** Checks all promises, those of webhooks among them. */
  async check(): Promise<readonly Violation[]> {
    const shown = new Map<string, readonly DeliveryView[]>();
    for (const one of this.watched) shown.set(one.webhookId, await this.readDeliveries(one));
    return [
      ...webhooksKept(this.orderly, this.watched, shown),
      ...disabledWithMail(this.orderly),
      ...brokenPromises(this.orderly),
    ];
  }
}

/** A receiver that fails some messages some times, in each of its ways. It processes what it answers late, or not at all. */
const unreliable: Behaviour = ({ times, number }) => {
  if (times > 3) return { status: 200 };
  switch (number % 6) {
    case 0:
      return { status: 500 };
    case 1:
      return undefined;
    case 2:
      return { status: 200, after: 12_000 };
    case 3:
      return { status: 429, headers: { 'retry-after': '120' } };
    case 4:
      return { status: 302, headers: { location: 'https://10.0.0.1/' } };
    default:
      return { status: 204 };
  }
};

/** Orders of two customers: approved and dispatched, cancelled, and rejected for want of stock. */
async function ordersOf(orderly: Orderly): Promise<void> {
  await stocked(orderly, { 'TEA-1': 3 });
  const [one, other] = [await placed(orderly, 'alice', 'one'), await placed(orderly, 'bob', 'other')];
  await orderly.rest();
  await orderly.call(dispatchOf(one.reply.body.orderId, 'sent'));
  await orderly.call(cancellationOf('bob', other.reply.body.orderId, 'no', 'a secret reason'));
  await placed(orderly, 'alice', 'third');
  await placed(orderly, 'alice', 'fourth');
  await placed(orderly, 'bob', 'fifth');
  await orderly.rest();
}

/**
 * Receivers of all orders and of one customer's: good, unreliable, in order and not, and of some types only. A receiver says that it has
 * a message and loses it; its shop asks for it again. Another one changes its secret meanwhile.
 */
export const webhooksDelivered: Scenario = {
  name: 'webhooks-delivered',
  faultProbability: 0.01,
  async play(cloud) {
    const webhooks = new Webhooks(cloud);
    const { orderly } = webhooks;
    await webhooks.register({ name: 'all' });
    await webhooks.register({ name: 'all-in-order', inOrder: true, behaves: unreliable });
    const shop = await webhooks.register({ name: 'alices-shop', shop: 'alice', behaves: unreliable });
    await webhooks.register({
      name: 'bobs-shop',
      shop: 'bob',
      inOrder: true,
      events: ['OrderRejected', 'OrderCancelled'],
    });
    const rotated = await webhooks.call(shop, 'POST', '/secret-rotation', 'rotation');
    const secret = String(rotated.reply.body.secret);
    // A fault may make the orders take longer than the day in which both sign.
    shop.receiver.renewed = { secret, from: cloud.world.now + DAY / 2 };
    await ordersOf(orderly);
    // From now on it knows the new secret, and both sign. A day later the new one signs alone.
    shop.receiver.secrets.splice(0, 1, secret);
    await placed(orderly, 'alice', 'rotated');
    await orderly.rest();
    await cloud.world.pass(DAY);
    await placed(orderly, 'alice', 'a-day-later');
    await orderly.rest();
    return [...(await lostAndAskedFor(webhooks, shop)), ...(await webhooks.check())];
  },
};

/** A receiver that has said 200 and lost a message gets it again, with the same id, once for each request that asks for it. */
async function lostAndAskedFor(webhooks: Webhooks, shop: Watched): Promise<readonly Violation[]> {
  const [delivery] = await webhooks.readDeliveries(shop);
  if (delivery?.status !== 'DELIVERED')
    return [violation('the newest delivery came through', JSON.stringify(delivery), '')];
  shop.receiver.behaves = () => ({ status: 200 });
  const { messageId, deliveryId } = delivery;
  const countRequests = () => shop.receiver.requests.filter(({ id }) => id === messageId).length;
  const before = countRequests();
  for (let times = 0; times < 2; times++)
    await webhooks.call(shop, 'POST', `/deliveries/${deliveryId}/redelivery`, 'once-more');
  await webhooks.orderly.rest();
  const invariant = 'a delivery that is asked for again comes again, with its id';
  return countRequests() > before ? [] : [violation(invariant, `${messageId}: ${before}, ${countRequests()}`, '')];
}

/**
 * Receivers that never take anything: one is dead for three days, one says 410, and one's name leads into a private network. They are
 * disabled, harm nobody else, and their webhooks work again once they are enabled. A deleted one gets nothing any more.
 */
export const webhooksGivenUp: Scenario = {
  name: 'webhooks-given-up',
  faultProbability: 0.005,
  async play(cloud) {
    const { world } = cloud;
    const webhooks = new Webhooks(cloud);
    const { orderly } = webhooks;
    const good = await webhooks.register({ name: 'good', inOrder: true });
    const dead = await webhooks.register({
      name: 'dead',
      isGivenUp: true,
      inOrder: true,
      behaves: () => ({ status: 503 }),
    });
    const gone = await webhooks.register({ name: 'gone', isGivenUp: true, behaves: () => ({ status: 410 }) });
    const inside = await webhooks.register({ name: 'inside', host: hostAt('10.0.0.7'), isGivenUp: true });
    const deleted = await webhooks.register({ name: 'deleted', isGivenUp: true });
    await webhooks.call(deleted, 'DELETE', '', 'no-more');
    webhooks.watched.splice(webhooks.watched.indexOf(deleted), 1);
    await stocked(orderly, { 'TEA-1': 10 });
    const begun = world.now;
    const order = await placed(orderly, 'alice', 'one');
    await world.pass(HOUR);
    await orderly.call(dispatchOf(order.reply.body.orderId, 'sent'));
    const soon = good.receiver.requests.length;
    await orderly.rest();
    const broken: Violation[] = [];
    const expect = (holds: boolean, invariant: string, detail: string) => {
      if (!holds) broken.push(violation(invariant, detail, ''));
    };
    expect(
      inside.receiver.requests.length === 0,
      'nothing is sent into a private network',
      `${inside.receiver.requests.length} requests`,
    );
    expect(
      deleted.receiver.requests.length === 0,
      'a deleted webhook gets nothing',
      `${deleted.receiver.requests.length} requests`,
    );
    expect(
      cloud.faults.injected.length > 0 || soon >= 2,
      'a dead receiver holds nobody else up',
      `${soon} requests in an hour`,
    );
    const last = dead.receiver.requests.at(-1)?.at ?? 0;
    expect(
      last - begun >= 3 * DAY - 6 * HOUR,
      'a dead receiver is tried for three days',
      `until ${(last - begun) / HOUR} h`,
    );
    for (const [one, reason] of [
      [dead, 'EXPIRED'],
      [gone, 'GONE'],
      [inside, 'EXPIRED'],
    ] as const) {
      const { reply } = await webhooks.call(one, 'GET', '');
      expect(
        reply.body.disabledReason === reason,
        'a receiver that takes nothing is disabled',
        `${one.name}: ${JSON.stringify(reply.body)}`,
      );
    }
    // It is repaired: what comes from now on is sent, and so is what somebody asks for.
    dead.receiver.behaves = () => ({ status: 200 });
    await webhooks.call(dead, 'POST', '/activation', 'again');
    const skipped = (await webhooks.readDeliveries(dead)).filter(({ status }) => status !== 'DELIVERED');
    expect(skipped.length >= 2, 'what was not delivered is shown', `${skipped.length} deliveries`);
    for (const { deliveryId } of skipped)
      await webhooks.call(dead, 'POST', `/deliveries/${deliveryId}/redelivery`, deliveryId);
    await placed(orderly, 'alice', 'later');
    await orderly.rest();
    const repaired = webhooks.watched.map((one) => (one === dead ? { ...one, isGivenUp: false, inOrder: false } : one));
    webhooks.watched.splice(0, webhooks.watched.length, ...repaired);
    return [...broken, ...(await webhooks.check())];
  },
};
