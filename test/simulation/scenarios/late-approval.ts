import type { Scenario, Violation } from '../../../packages/simulator/search/scenario.js';
import { Facts } from '../../support/simulation/facts.js';
import { holdMessages } from '../../support/simulation/holding.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { cancellationOf, placed, stocked } from './shop.js';

/**
 * Accounts receives an order's approval only after it has processed the cancellation: the released amount can't be
 * captured any more. First one order alone, then two at once whose approvals come twice; an order that isn't cancelled
 * is on the same account.
 */
export const lateApproval: Scenario = {
  name: 'late-approval',
  faultProbability: 0.02,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 5 });
    await placed(orderly, 'alice', 'kept');
    await orderly.rest();
    const late: string[] = [];
    for (const keys of [['alone'], ['one', 'other']]) {
      const approvals = holdMessages(orderly, 'accounts-orders', 'OrderApproved');
      const ids: unknown[] = [];
      for (const key of keys) ids.push((await placed(orderly, 'alice', key)).reply.body.orderId);
      await orderly.rest();
      for (const id of ids) orderly.begin(cancellationOf('alice', id, 'cancel'));
      await orderly.rest();
      for (const _ of keys) approvals.letGo();
      await orderly.rest();
      late.push(...ids.map(String));
    }
    return [
      ...brokenPromises(orderly),
      ...(cloud.faults.injected.length > 0 ? [] : late.flatMap(refusedLate(orderly))),
    ];
  },
};

/** Checks that the situation of this scenario occurred, unless a fault prevented it. */
function refusedLate(orderly: Orderly): (orderId: string) => readonly Violation[] {
  const events = [...new Facts(orderly).accounts.values()].flat().flatMap(({ events }) => events);
  const wanted = 'AccountAuthorized, AuthorizationReleased, SagaReplyRequested RELEASED';
  return (orderId) => {
    const told = events
      // The charge of the order's payment settles its credit at some moment before.
      .filter(({ type, data }) => type !== 'CreditSettled' && data.includes(orderId))
      .map(({ type, data }) => `${type} ${JSON.parse(data).reason ?? ''}`.trim())
      .join(', ');
    return told.startsWith(wanted) ? [] : [{ invariant: 'a late approval is refused', detail: told, about: orderId }];
  };
}
