import type { AccountCommand } from '../../../lambdas/accounts/contract.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Facts } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { Rebuilds } from '../../support/simulation/rebuilds.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { limitOf, readersSeeAccounts, stepsOf } from './accounts.js';
import { cancellationOf, orderOf, placed, stocked } from './shop.js';

const EARLIER = 4;
const MEANWHILE = 10;
/** Milliseconds: a later order is later by every function's clock. */
const LONGER_THAN_CLOCKS_DIFFER = 5_000;

/**
 * Customers' lists are rebuilt while orders are placed and cancelled. Afterwards every list is correct, a client that
 * was paging through a list can continue from its position, and a check finds the rebuilt list equal to the live one,
 * byte for byte.
 */
export const rebuildUnderLoad: Scenario = {
  name: 'rebuild-under-load',
  faultProbability: 0.004,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const random = world.random.fork('customers');
    await stocked(orderly, { 'TEA-1': 8 });
    const earlier: string[] = [];
    for (let number = 0; number < EARLIER; number++) {
      const { reply } = await placed(orderly, 'alice', `earlier-${number}`);
      earlier.unshift(String(reply.body.orderId));
      await world.pass(LONGER_THAN_CLOCKS_DIFFER);
    }
    await orderly.rest();
    const first = await list(orderly, '');
    for (let number = 0; number < MEANWHILE; number++) {
      world.after(random.between(0, 2_000), () =>
        orderly.begin(orderOf(number % 2 === 0 ? 'alice' : 'bob', `order-${number}`, ['TEA-1']), ({ reply }) => {
          if (number % 3 !== 0 || reply.status !== 201) return;
          const cancellation = cancellationOf(number % 2 === 0 ? 'alice' : 'bob', reply.body.orderId, `c-${number}`);
          world.after(random.between(0, 1_000), () => orderly.begin(cancellation));
        }),
      );
    }
    await world.pass(random.between(0, 800));
    await new Rebuilds(orderly).through('orders-list');
    await orderly.rest();
    const second = await list(orderly, `&cursor=${first.nextCursor}`);
    const seen = [...first.ids, ...second.ids];
    const goesOn =
      JSON.stringify(seen) === JSON.stringify(earlier)
        ? []
        : [{ invariant: 'a cursor survives a rebuild', detail: `${seen} instead of ${earlier}` }];
    return [...goesOn, ...(await equalsItsRebuild(cloud, orderly, 'orders-list'))];
  },
};

/** Attempts of the switch that are stopped while the consumer has not put its row yet. */
const STOPPED = 60;

/**
 * A row changes right before a rebuild switches the list to the new version, and its consumer crashes after it has put the row
 * into one of both versions. The switch comes before the consumer tries again.
 */
export const rebuildSwitches: Scenario = {
  name: 'rebuild-switches',
  faultProbability: 0.005,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 2 });
    const { reply } = await placed(orderly, 'alice', 'place');
    await orderly.rest();
    let stopped = 0;
    let isPut = false;
    cloud.calls.interceptor = {
      beforeCall: ({ fn, body }) => {
        const switches = fn.label === 'Orders/RebuildListProjection' && body.includes(':keeps');
        if (!switches || isPut || stopped === STOPPED) return undefined;
        if (stopped++ === 0) orderly.begin(cancellationOf('alice', reply.body.orderId, 'cancel'));
        return 'killed-before';
      },
      afterCall: ({ fn, request }) => {
        if (stopped === 0 || isPut || fn.label !== 'Orders/OnListProjection' || request.operation !== 'PutItem')
          return undefined;
        isPut = true;
        return 'killed-after';
      },
    };
    await new Rebuilds(orderly).through('orders-list');
    await orderly.rest();
    return brokenPromises(orderly, () => false);
  },
};

const CUSTOMERS = ['alice', 'bob', 'carol'];

/** The list of used-up credit is rebuilt while accounts run out of credit and get it back. */
export const rebuildCredit: Scenario = {
  name: 'rebuild-credit',
  faultProbability: 0.004,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    const random = world.random.fork('sagas');
    for (const customer of CUSTOMERS) await orderly.call(limitOf(customer, 100));
    for (let number = 0; number < 12; number++) {
      const { authorize, release } = stepsOf(CUSTOMERS[number % 3] ?? '', `order-${number}`, 100);
      const at = random.between(0, 2_500);
      world.after(at, () => send(authorize));
      if (random.chance(0.7)) world.after(at + random.between(0, 1_000), () => send(release));
    }
    await world.pass(random.between(0, 800));
    await new Rebuilds(orderly).through('accounts-exhausted');
    await orderly.rest();
    const readers = await readersSeeAccounts(orderly);
    return [...readers, ...(await equalsItsRebuild(cloud, orderly, 'accounts-exhausted'))];
  },
};

/** Reads the first two of Alice's orders. */
async function list(orderly: Orderly, more: string) {
  const { reply } = await orderly.call({ method: 'GET', path: `/orders?limit=2${more}`, as: 'alice' });
  const { items, nextCursor } = reply.body as { items: readonly { orderId: string }[]; nextCursor?: string };
  return { ids: items.map(({ orderId }) => orderId), nextCursor };
}

/** Checks every promise; and a check of the projection finds only differences that a visible failure explains. */
async function equalsItsRebuild(cloud: Cloud, orderly: Orderly, name: string): Promise<readonly Violation[]> {
  const broken = [...brokenPromises(orderly)];
  const { versionsOf } = new Facts(orderly);
  const { reads, builds, last } = versionsOf(name);
  if (reads !== 2 || builds !== undefined || last !== 2)
    broken.push({ invariant: 'a rebuild ends', detail: JSON.stringify(versionsOf(name)) });
  // After this time an unfinished message is visible to an operator, and explains why a list lags behind.
  await cloud.world.pass(2 * 3_600_000);
  const { rebuild } = await new Rebuilds(orderly).through(name, 'check');
  const differences = rebuild?.differences.filter(({ kind }) => kind !== 'behind') ?? [];
  if (differences.length > 0)
    broken.push({ invariant: 'a list equals its rebuild, byte for byte', detail: JSON.stringify(differences) });
  await orderly.rest();
  return [...broken, ...brokenPromises(orderly)];
}
