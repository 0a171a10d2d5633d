import { recordsPrefix } from '../../../packages/kit/failures/contract.js';
import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';
import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { holdMessages } from '../../support/simulation/holding.js';
import { Operator } from '../../support/simulation/operator.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { findMapping } from '../../support/simulation/reading.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { hearsLateAnswers } from '../invariants/saga-commits.js';
import { paymentOf, refundOf } from './payments.js';
import { endedAs } from './sagas.js';
import { cancellationOf, DAY, HOUR, MINUTE, orderAt, orderOf, placed, productOf, stocked } from './shop.js';

/** Per participant: the functions that handle its commands, and those that publish its answers. */
const PARTICIPANTS: readonly (readonly [string, readonly string[]])[] = [
  ['Catalog', ['Catalog/OnCommands']],
  ['Accounts', ['Accounts/OnCommands']],
  ['Inventory', ['Inventory/OnCommands']],
  ['Payments', ['Payments/OnCommands', 'Payments/OnProvider']],
];

/** Makes all functions with this name fail for a period. */
const down = (cloud: Cloud, name: string, milliseconds: number): void => {
  cloud.fn(name).failsUntil = cloud.world.now + milliseconds;
};

/**
 * A participant's answers are delayed for five minutes, but its work is done: the saga resends its command and gets the
 * current outcome. Each participant in turn, with an order that is approved and one that is cancelled meanwhile.
 */
export const answersLate: Scenario = {
  name: 'answers-late',
  faultProbability: 0.003,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 20 });
    // The saga's queue does not take the first timer at once.
    let isRefused = false;
    cloud.calls.interceptor = {
      beforeCall: ({ fn, request }) => {
        if (isRefused || !fn.label.endsWith('Sweeper') || request.operation !== 'SendMessageBatch') return undefined;
        isRefused = true;
        return new Map([[0, 'InternalFailure']]);
      },
      afterCall: () => undefined,
    };
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
 * A participant accepts no commands until the saga gives up its step: the saga compensates what may have been done, and
 * a late command meets a tombstone. Each participant in turn.
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

/** Consumer of the inventory's steps. */
const STEPS = 'inventory-commands';

/**
 * A participant is down for a day and two hours. An operator discards what has failed by noon, and redrives three days later
 * what has failed since: the same steps, whose commands are sent again.
 */
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
    const operator = new Operator(orderly);
    await world.pass(12 * HOUR);
    await operator.discardAll(STEPS);
    await world.pass(6 * HOUR);
    const failed = [...new Facts(orderly).records.values()].filter(
      ({ pk, status }) => pk.startsWith(recordsPrefix(STEPS)) && status === 'FAILED',
    );
    // Nothing else is looked at then: what can't be recorded is tried for days.
    if (failed.length === 0)
      return [{ invariant: 'a step that fails again after its failure has ended is visible as failed', detail: STEPS }];
    await orderly.rest();
    await world.pass(3 * DAY);
    await placed(orderly, 'alice', 'after');
    await operator.redriveAll();
    await orderly.rest();
    return brokenPromises(orderly, () => true);
  },
};

/**
 * The provider's charges can't be committed for 30 hours. By then the provider has forgotten its keys, and the saga
 * has given up and compensates steps whose outcome it doesn't know. Three days later an operator redrives the failures.
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
      beforeCall: ({ fn, request, body }) =>
        world.now < until &&
        fn.label === 'Payments/OnProvider' &&
        request.operation === 'TransactWriteItems' &&
        body.includes('PaymentCharged')
          ? 'refused'
          : undefined,
      afterCall: () => undefined,
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
 * A saga's step can't be compensated for longer than the saga retries: the saga is stuck, and an operator sees it. By seed, its
 * participant fails, and the saga continues after the operator's command; or the participant reads nothing, and the saga
 * continues by itself once it does.
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
    const isSilent = world.random.fork('silence').chance(0.5);
    const commands = findMapping(cloud, 'Accounts/OnCommands');
    if (isSilent) commands.enabled = false;
    else down(cloud, 'Accounts/OnCommands', 5 * DAY);
    await orderly.rest();
    const waiting = [...new Facts(orderly).stuck];
    const broken: Violation[] =
      cloud.faults.injected.length > 0 || waiting.length === 1
        ? []
        : [{ invariant: 'a saga that cannot compensate is stuck', detail: `${waiting.length} sagas` }];
    if (isSilent) {
      commands.enabled = true;
      await orderly.rest();
      broken.push(...hearsLateAnswers(new Facts(orderly)));
    } else await world.pass(6 * DAY);
    for (const id of new Facts(orderly).stuck) new Operator(orderly).retrySaga(id);
    await orderly.rest();
    return [...broken, ...brokenPromises(orderly, () => true), ...noneIsStuck(orderly)];
  },
};

/** The sandbox charges these amounts. It never refunds the first, and refunds the second when it is asked again. */
const KEPT = 41000;
const KEPT_ONCE = 41001;

/**
 * The provider permanently refuses to refund three orders. Two are cancelled after their approval, and no saga waits: each
 * is a failure record. An operator redrives both: one is refunded, the other fails again, and is discarded once the customer
 * has the money in another way. A customer whose refund was refused gets it when they ask again, so the redrive must not make it
 * as well. The third order is cancelled before its saga learns of the charge: that saga is stuck,
 * and stuck again after a retry, until an operator has refunded the customer by hand and resolves it.
 */
export const refundRefused: Scenario = {
  name: 'refund-refused',
  faultProbability: 0.01,
  async play(cloud) {
    const { world, events } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 2, 'TEA-2': 1 });
    await orderly.call(productOf('TEA-1', KEPT));
    await orderly.call(productOf('TEA-2', KEPT_ONCE));
    const kept = await orderly.call(orderAt('alice', 'approved', 'TEA-1', KEPT));
    const keptOnce = await orderly.call(orderAt('alice', 'approved-too', 'TEA-2', KEPT_ONCE));
    const paid = await orderly.call(paymentOf('dave', 3 * KEPT_ONCE, 'pay'));
    await orderly.rest();
    for (const key of ['refused', 'again']) {
      await orderly.call(refundOf('dave', paid.reply.body.paymentId, key, KEPT_ONCE));
      await orderly.rest();
    }
    for (const { reply } of [kept, keptOnce]) {
      await orderly.call(cancellationOf('alice', reply.body.orderId, `cancel-${reply.body.orderId}`));
    }
    await orderly.rest();
    const operator = new Operator(orderly);
    const broken: Violation[] = [];
    const refusedRefunds = (): readonly unknown[] =>
      [...new Facts(orderly).records.values()]
        .filter(({ status, failures }) => status === 'FAILED' && failures?.[0]?.name === 'RefundRefused')
        .map(({ subject }) => subject?.slice('Payment/'.length))
        .toSorted();
    const failedRefunds = (wanted: readonly unknown[]): void => {
      const paymentIds = refusedRefunds();
      if (cloud.faults.injected.length > 0 || String(paymentIds) === String(wanted.toSorted())) return;
      broken.push({ invariant: 'a refund that no saga waits for fails visibly', detail: `${paymentIds}` });
    };
    failedRefunds([kept.reply.body.orderId, keptOnce.reply.body.orderId, paid.reply.body.paymentId]);
    // A request for a refund that was lost is refused for the first time after others have been redriven.
    let redrives = 0;
    do {
      await operator.redriveAll();
      await orderly.rest();
      redrives++;
    } while (redrives < 3 && refusedRefunds().includes(keptOnce.reply.body.orderId));
    failedRefunds([kept.reply.body.orderId]);
    await operator.discardAll('payments-provider');

    const answers = holdMessages(orderly, 'orders-saga', 'SagaReplyRequested');
    const underWay = await orderly.call(orderAt('bob', 'under-way', 'TEA-1', KEPT));
    const { orderId } = underWay.reply.body;
    const comes = (condition: () => boolean): Promise<boolean> => {
      // It may never come: an event that the bus could not deliver is a failure record.
      const latest = world.now + MINUTE;
      return world.until(() => condition() || world.now >= latest);
    };
    await comes(() => answers.held.length > 0);
    await orderly.call(cancellationOf('bob', orderId, 'cancel'));
    await comes(() => events.accepted.some(({ event }) => event['detail-type'] === 'RefundPayment'));
    answers.letGo();
    await orderly.rest();

    for (const act of ['retrySaga', 'resolveSaga'] as const) {
      const facts = new Facts(orderly);
      const { state } = facts.saga(String(orderId));
      const { status } = facts.order(String(orderId)) ?? {};
      const isStuck = state.status === 'STUCK' && state.reason === 'REFUND_FAILED' && status === 'CANCELLED';
      if (cloud.faults.injected.length === 0 && !(isStuck && facts.stuck.size === 1))
        broken.push({
          invariant: 'a refund that the provider refuses leaves its saga stuck',
          detail: JSON.stringify(state),
        });
      for (const id of facts.stuck) operator[act](id);
      await orderly.rest();
    }
    return [...broken, ...brokenPromises(orderly), ...noneIsStuck(orderly)];
  },
};

function noneIsStuck(orderly: Orderly): readonly Violation[] {
  return [...new Facts(orderly).stuck].map((id) => ({
    invariant: 'a stuck saga continues after its cause is fixed',
    detail: id,
    about: id,
  }));
}
