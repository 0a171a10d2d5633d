import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { limitOf } from './accounts.js';
import { orderOf, stocked } from './shop.js';

/**
 * Orders of a burst that is large enough to show an unfair queue: behind 200 orders, the planted bug without message groups
 * is not found. 900 take minutes (`npm run simulate -- --scenario burst-of-900 --calm`).
 */
export const LARGE_BURST = 400;

const NAME = /^burst-of-(\d+)$/;
/** Milliseconds between two orders of the burst: 500 a second, the limit of the API (lib/settings.ts). */
const PACE = 2;
const QUIET = Array.from({ length: 15 }, (_, at) => `quiet-${at}`);
/** Milliseconds between two orders of the quiet customers. */
const GAP = 100;
/** Maximum factor by which an order may take longer behind a burst than alone. */
const ORDER_AT_MOST = 1.5;
/**
 * Maximum factor by which its messages may wait longer in queues; alone, this wait is a tenth of the order's time. It
 * detects an unfair queue with fewer orders than the order's own time, most of which is spent elsewhere.
 */
const WAITING_AT_MOST = 2;

/** Times of the quiet customers' orders, one entry an order: milliseconds. */
interface Times {
  /** Time from the request to the approval. */
  readonly order: readonly number[];
  /** Sum of the times for which its messages waited in queues until it was approved. */
  readonly waiting: readonly number[];
}

/** Returns the scenario called `burst-of-900`; `undefined` for the name of another one. */
export function burstCalled(name: string): Scenario | undefined {
  const [, orders] = NAME.exec(name) ?? [];
  return orders === undefined ? undefined : burstOf(Number(orders));
}

/**
 * Fifteen customers order while nothing else is in progress, and again right behind a burst of another customer's
 * orders. The time that their orders take, and the time that their messages wait in queues, may only grow by a factor.
 * For the orders the median counts, because the bus delays one delivery of fifty by seconds, with or without a burst.
 */
export const burstOf = (orders: number): Scenario => ({
  name: `burst-of-${orders}`,
  faultProbability: 0,
  // With hundreds of orders, the lines of a trace would take more memory than the rest.
  conditions: { keepTrace: false, clockSkew: 0, coldness: 0 },
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1_000_000 });
    await orderly.call(limitOf('noisy', 100_000_000));
    // Cold starts would slow down the orders that run alone.
    await quietOrders(orderly, 'warm');
    const alone = await quietOrders(orderly, 'alone');
    for (let number = 0; number < orders; number++) {
      world.after(number * PACE, () => orderly.begin(orderOf('noisy', `noisy-${number}`, ['TEA-1'])));
    }
    await world.pass(orders * PACE);
    const behind = await quietOrders(orderly, 'behind');
    const [order, orderAlone] = [median(behind.order), median(alone.order)];
    const [waiting, waitingAlone] = [mean(behind.waiting), mean(alone.waiting)];
    const violations: Violation[] = [];
    if (order > ORDER_AT_MOST * orderAlone) {
      violations.push({
        invariant: `an order behind a burst of another customer takes at most ${ORDER_AT_MOST} times as long as alone`,
        detail: `${order} ms, alone ${orderAlone} ms`,
      });
    }
    if (waiting > WAITING_AT_MOST * waitingAlone) {
      violations.push({
        invariant: `messages behind a burst of another customer wait at most ${WAITING_AT_MOST} times as long as alone`,
        detail: `${waiting} ms, alone ${waitingAlone} ms`,
      });
    }
    return violations;
  },
});

/** Places an order for each quiet customer. @returns their times, after everything has come to rest */
async function quietOrders(orderly: Orderly, key: string): Promise<Times> {
  const { cloud } = orderly;
  const begun = new Map<string, number>();
  const from = cloud.world.now;
  for (const [at, customer] of QUIET.entries()) {
    cloud.world.after(at * GAP, () => {
      begun.set(customer, cloud.world.now);
      orderly.begin(orderOf(customer, key, ['TEA-1']));
    });
  }
  await orderly.rest();
  const approved = new Map(
    cloud.events.accepted
      .filter(({ event, at }) => event['detail-type'] === 'OrderApproved' && at >= from)
      .map(({ event }) => [whoseIs(event), Date.parse((event.detail as { time: string }).time)]),
  );
  const waited = waitingSince(cloud, from, approved);
  return {
    order: QUIET.map((customer) => (approved.get(customer) ?? Number.POSITIVE_INFINITY) - (begun.get(customer) ?? 0)),
    waiting: QUIET.map((customer) => waited.get(customer) ?? Number.POSITIVE_INFINITY),
  };
}

/**
 * Sums up, by customer, how long messages waited until their first receipt, for messages sent until the order was
 * approved.
 */
function waitingSince(cloud: Cloud, from: number, approved: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const waited = new Map<string, number>();
  for (const { message } of [...cloud.queues.values()].flatMap(({ fates }) => fates)) {
    const { body, sentAt, firstReceivedAt } = message;
    if (sentAt < from || firstReceivedAt === undefined) continue;
    const customer = whoseIs(JSON.parse(body));
    if (sentAt > (approved.get(customer) ?? 0)) continue;
    waited.set(customer, (waited.get(customer) ?? 0) + firstReceivedAt - sentAt);
  }
  return waited;
}

/** Returns the customer who caused an event. */
function whoseIs({ detail }: { readonly detail: unknown }): string {
  const { actor, onbehalfof = actor } = detail as { actor: string; onbehalfof?: string };
  return onbehalfof.replace(/^customer:/, '');
}

const mean = (numbers: readonly number[]): number =>
  Math.round(numbers.reduce((sum, number) => sum + number, 0) / numbers.length);

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;
