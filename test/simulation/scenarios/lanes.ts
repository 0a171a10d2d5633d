import type { InventoryCommand } from '../../../lambdas/inventory/contract.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Random } from '../../../packages/simulator/engine/random.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Facts, type MessageRecord } from '../../support/simulation/facts.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, DAY, HOUR, orderOf, stocked } from './shop.js';

/** SKU that is hot by the settings of the simulated `prod`. */
export const HOT = 'HOT-1';
/** Customer whose account is hot by them. */
const HOT_CUSTOMER = 'acme';

const stockOf = (sku: string, onHand: number) =>
  ({ method: 'PUT', path: `/stock/${sku}`, as: 'operator', body: { onHand } }) as const;

/** Returns the steps of an order's saga. */
function stepsOf(orderId: string, ...lines: readonly (readonly [sku: string, quantity: number])[]) {
  const step = (name: string) => ({ orderId, stepId: `${orderId}/${name}` });
  return {
    reserve: {
      type: 'ReserveStock',
      data: { ...step('reserve'), lines: lines.map(([sku, quantity]) => ({ sku, quantity })) },
    },
    release: { type: 'ReleaseStock', data: step('release') },
  } as const satisfies Record<string, InventoryCommand>;
}

/** The only failure that is meant: an order that reserves again, with other lines. */
const linesDiffer = ({ failures }: MessageRecord): boolean => failures?.[0]?.name === 'ReservationRefused';

/**
 * One hot SKU with five pieces: orders that the lane decides together, one of them twice, one again with other lines, and one
 * too large; an order with two SKUs, by a plain transaction; an order whose release overtakes its reservation, and one that
 * is released afterwards.
 */
export const laneOne: Scenario = {
  name: 'lane-one',
  faultProbability: 0.05,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const send = sender<InventoryCommand>(cloud, 'inventory');
    await orderly.call(stockOf(HOT, 5));
    await orderly.call(stockOf('TEA-1', 5));
    const first = stepsOf('first', [HOT, 1]);
    const voided = stepsOf('voided', [HOT, 1]);
    for (const step of [
      first.reserve,
      first.reserve,
      stepsOf('second', [HOT, 2]).reserve,
      stepsOf('both', [HOT, 1], ['TEA-1', 1]).reserve,
      voided.release,
    ])
      send(step);
    await orderly.rest();
    for (const step of [
      stepsOf('first', [HOT, 2]).reserve,
      voided.reserve,
      stepsOf('large', [HOT, 2]).reserve,
      stepsOf('last', [HOT, 1]).reserve,
      first.release,
    ])
      send(step);
    await orderly.rest();
    return [
      ...brokenPromises(orderly, linesDiffer),
      ...endedAs(orderly, { both: ['StockReserved'], voided: ['ReservationVoided'] }),
    ];
  },
};

/** Orders of a hot SKU by a hot customer, one of them cancelled: sagas send the commands that both lanes decide. */
export const hotOrders: Scenario = {
  name: 'hot-orders',
  faultProbability: 0.02,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { [HOT]: 2 });
    const order = (key: string) => orderOf(HOT_CUSTOMER, key, [HOT]);
    for (const key of ['two', 'three']) orderly.begin(order(key));
    const { reply } = await orderly.call(order('one'));
    await orderly.rest();
    await orderly.call(cancellationOf(HOT_CUSTOMER, reply.body.orderId, 'cancel'));
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

const ORDERS = 24;

/** Orders for a hot SKU and for one that becomes hot, with steps again, releases at any moment, and counts by operators. */
export const laneRaces: Scenario = {
  name: 'lane-races',
  faultProbability: 0.01,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<InventoryCommand>(cloud, 'inventory');
    const random = world.random.fork('sagas');
    for (const sku of [HOT, 'TEA-1']) await orderly.call(stockOf(sku, 14));
    for (let number = 0; number < ORDERS; number++) {
      const { reserve, release } = stepsOf(`order-${number}`, ...linesBy(random));
      const at = random.between(0, 1_500);
      world.after(at, () => send(reserve));
      if (random.chance(0.3)) world.after(at + random.between(0, 3_000), () => send(reserve));
      if (random.chance(0.3)) world.after(random.between(0, 4_000), () => send(release));
    }
    for (const onHand of [20, 12]) {
      world.after(random.between(0, 3_000), () => orderly.begin(stockOf(random.pick([HOT, 'TEA-1']), onHand)));
    }
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

/**
 * The lane's writer is down for longer than its stream tries again: requests become failure records. An operator redrives
 * them after it is back, and meanwhile an order is released before it is reserved.
 */
export const laneFails: Scenario = {
  name: 'lane-fails-26-hours',
  faultProbability: 0.005,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<InventoryCommand>(cloud, 'inventory');
    await orderly.call(stockOf(HOT, 3));
    cloud.fn('Inventory/CommandsLane/Writer').failsUntil = world.now + 26 * HOUR;
    const orders = ['first', 'second', 'released', 'short'].map((id) => stepsOf(id, [HOT, 1]));
    for (const { reserve } of orders) send(reserve);
    await orderly.rest();
    for (const { release } of orders.slice(2, 3)) send(release);
    await world.pass(DAY + 3 * HOUR);
    send(stepsOf('after', [HOT, 1]).reserve);
    await orderly.rest();
    await new Operator(orderly).redriveAll();
    await orderly.rest();
    return brokenPromises(orderly, () => true);
  },
};

/** The same SKU by many at once: it becomes hot by its lost races. */
export const laneByItself: Scenario = {
  name: 'lane-by-itself',
  faultProbability: 0.005,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const send = sender<InventoryCommand>(cloud, 'inventory');
    await orderly.call(stockOf('TEA-1', 30));
    for (let number = 0; number < 40; number++) send(stepsOf(`order-${number}`, ['TEA-1', 1]).reserve);
    await orderly.rest();
    return [...brokenPromises(orderly), ...tookLane(cloud)];
  },
};

function linesBy(random: Random): readonly (readonly [string, number])[] {
  const quantity = random.between(1, 3);
  return random.pick([
    [[HOT, quantity]],
    [[HOT, quantity]],
    [['TEA-1', quantity]],
    [
      [HOT, 1],
      ['TEA-1', 1],
    ],
  ] as const);
}

/** Checks which of these facts an order's reservation ended with. */
function endedAs(orderly: Orderly, ends: Readonly<Record<string, readonly string[]>>): readonly Violation[] {
  if (orderly.cloud.faults.injected.length > 0) return [];
  const facts = new Facts(orderly);
  return Object.entries(ends).flatMap(([orderId, types]) => {
    const type = facts.reservation(orderId)?.type ?? 'nothing';
    return types.includes(type)
      ? []
      : [{ invariant: 'a reservation ends as it should', detail: `${orderId}: ${type}` }];
  });
}

/**
 * Checks that the lane decided for some orders together, unless a fault kept them from it. Each has a record and a commit; the count
 * changes only if one of them gets pieces.
 */
function tookLane(cloud: Cloud): readonly Violation[] {
  const together = cloud.tableCalls.some(
    ({ fn, effects }) => fn.endsWith('Lane/Writer') && effects.changes.length >= 2 * 2,
  );
  if (together || cloud.faults.injected.length > 0) return [];
  return [{ invariant: 'a SKU under contention takes the lane', detail: 'no transaction decided for several orders' }];
}
