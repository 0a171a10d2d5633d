import type { AccountCommand } from '../../../lambdas/accounts/contract.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { sender } from '../../support/simulation/commands.js';
import { Facts, type MessageRecord } from '../../support/simulation/facts.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { limitOf, stepsOf } from './accounts.js';
import { cancellationOf, MINUTE, orderOf, stocked } from './shop.js';

/** Customer who is hot by the settings of the simulated `prod`. */
export const HOT_CUSTOMER = 'acme';

const WRITER = 'Accounts/AccountsLane/Writer';

/** The only failure that is meant: an order that is authorised again, with another amount. */
const amountDiffers = ({ failures }: MessageRecord): boolean => failures?.[0]?.name === 'AccountRefused';

/**
 * One hot account: orders that the lane decides together, one of them twice, one again with another amount, and one above the
 * credit; an order whose release overtakes its authorization; orders that are captured and refunded, or released; and an
 * operator who sets the limit meanwhile.
 */
export const accountLaneOne: Scenario = {
  name: 'account-lane-one',
  faultProbability: 0.04,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    await orderly.call(limitOf(HOT_CUSTOMER, 1000));
    const [first, second, voided] = [
      stepsOf(HOT_CUSTOMER, 'first', 400),
      stepsOf(HOT_CUSTOMER, 'second', 300),
      stepsOf(HOT_CUSTOMER, 'voided', 100),
    ];
    const over = stepsOf(HOT_CUSTOMER, 'over', 400);
    for (const step of [first.authorize, first.authorize, second.authorize, over.authorize, voided.release]) send(step);
    await orderly.rest();
    for (const step of [
      stepsOf(HOT_CUSTOMER, 'first', 500).authorize,
      voided.authorize,
      stepsOf(HOT_CUSTOMER, 'third', 400).authorize,
      first.capture,
      second.release,
    ])
      send(step);
    orderly.begin(limitOf(HOT_CUSTOMER, 900));
    await orderly.rest();
    send(first.refund);
    await orderly.rest();
    return [...brokenPromises(orderly, amountDiffers), ...historyNamesCauses(orderly)];
  },
};

const ORDERS = 5;

/**
 * Orders of two customers at once: one is hot by the settings, and the other one takes the lane when it has rivals. The
 * lane's writer fails for a moment, so charges and approvals wait for it together. Some orders are cancelled meanwhile.
 */
export const accountLaneOrders: Scenario = {
  name: 'account-lane-orders',
  faultProbability: 0.003,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    const random = world.random.fork('orders');
    await stocked(orderly, { 'TEA-1': 100 });
    for (const customer of [HOT_CUSTOMER, 'bob']) await orderly.call(limitOf(customer, 3 * 350));
    for (const customer of [HOT_CUSTOMER, 'bob']) {
      for (let number = 0; number < ORDERS; number++) {
        const order = orderOf(customer, `order-${number}`, ['TEA-1']);
        const cancelled = (orderId: unknown) => orderly.begin(cancellationOf(customer, orderId, 'cancel'));
        world.after(random.between(0, 500), () =>
          orderly.begin(order, ({ reply }) => {
            if (number > 0 || reply.status !== 201) return;
            world.after(random.between(0, 4_000), () => cancelled(reply.body.orderId));
          }),
        );
      }
    }
    const latest = world.now + MINUTE;
    const isCharged = () => cloud.events.accepted.some(({ event }) => event['detail-type'] === 'PaymentCharged');
    await world.until(() => isCharged() || world.now >= latest);
    cloud.fn(WRITER).failsUntil = world.now + random.between(500, 4_000);
    await orderly.rest();
    // The writer's own failures are meant, and leave no record.
    return [...brokenPromises(orderly, () => false), ...historyNamesCauses(orderly)];
  },
};

/** Orders of one customer at once: 40 that are authorised, and then captured. */
export const accountLaneByItself: Scenario = {
  name: 'account-lane-by-itself',
  faultProbability: 0.003,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    const send = sender<AccountCommand>(cloud, 'accounts');
    await orderly.call(limitOf('bob', 30 * 350));
    const orders = Array.from({ length: 40 }, (_, number) => stepsOf('bob', `order-${number}`, 350));
    for (const { authorize } of orders) send(authorize);
    await orderly.rest();
    for (const { capture } of orders) send(capture);
    await orderly.rest();
    return [...brokenPromises(orderly), ...historyNamesCauses(orderly), ...fewAreRefused(cloud, 2 * orders.length)];
  },
};

/**
 * Maximum number of an account's transactions that other transactions may refuse, as a share of its messages. Before the lane takes over, each
 * of the deliveries at once may be refused.
 */
const REFUSED_AT_MOST = 0.1;

/** Checks that few transactions of accounts are refused, and that each decides many messages, unless a fault hinders them. */
function fewAreRefused(cloud: Cloud, messages: number): readonly Violation[] {
  if (cloud.faults.injected.length > 0) return [];
  const all = cloud.tableCalls.filter(
    ({ fn, operation }) => fn.startsWith('Accounts/') && operation === 'TransactWriteItems',
  );
  const refused = all.filter(({ effects }) => effects.changes.length === 0);
  const invariant = 'under contention, few transactions on an account are refused, and most are shared';
  const isHeld = refused.length <= REFUSED_AT_MOST * messages && all.length < messages / 2;
  return isHeld ? [] : [{ invariant, detail: `${refused.length} of ${all.length}, for ${messages} messages` }];
}

/**
 * Checks that each commit of an account has one cause, which no other commit has, although one transaction writes many: a
 * message has one answer.
 */
function historyNamesCauses(orderly: Orderly): readonly Violation[] {
  return [...new Facts(orderly).accounts].flatMap(([customer, commits]) => {
    const triggers = commits.map(({ trigger }) => trigger);
    const twice = triggers.filter((trigger, at) => triggers.indexOf(trigger) !== at);
    return twice.map((trigger) => ({
      invariant: 'each commit of an account has a cause of its own',
      detail: `${trigger}, account ${customer}`,
    }));
  });
}
