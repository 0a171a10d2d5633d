import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { isDeclinedCharge, type Payer } from '../../../lambdas/payments/domain/payer.js';
import { type Commit, type Facts, isCommit, parseEvent } from '../../support/simulation/facts.js';
import type { Row } from '../../support/simulation/orderly.js';
import { toldOf } from './payments.js';
import { type Check, violation } from './violation.js';

/** Invariants of customers as payers, and of what orders know of them, despite duplicates, delays and concurrency. */
export const payers: Check = (facts) => [
  ...payersAreTheirEvents(facts),
  ...declinesCountOnce(facts),
  ...changesAreOfTheMethod(facts),
  ...ordersKnowTheNewest(facts),
  ...ordersNeverGoBack(facts),
];

/** One write of a payer, with what the same transaction wrote beside it. */
interface Written {
  readonly customerId: string;
  readonly before: (Payer & { readonly version: number }) | undefined;
  readonly after: Payer & { readonly version: number };
  readonly events: readonly Payer[];
  /** Whether another item of the payment method was replaced. */
  readonly isOtherMethod: boolean;
  /** Payments that were declined. */
  readonly declined: readonly string[];
}

const writtenPayers = ({ writes }: Facts): readonly Written[] =>
  writes.flatMap(({ changes }) =>
    changes.flatMap(({ before, after }) => {
      const [, customerId] = /^Payer#(.+)$/.exec(String(after?.pk)) ?? [];
      if (customerId === undefined || after?.sk !== 'STATE') return [];
      const commits = changes.flatMap((change) => (change.after && isCommit(change.after) ? [change.after] : []));
      return [
        {
          customerId,
          before: before as Written['before'],
          after: after as unknown as Written['after'],
          events: commits.filter(({ pk }) => pk === after.pk).flatMap(payersIn),
          isOtherMethod: changes.some((change) => isMethodOf(customerId, change.after) && isReplaced(change)),
          declined: commits.flatMap(declinedIn),
        },
      ];
    }),
  );

const isMethodOf = (customerId: string, item: Row | undefined): boolean => item?.pk === `METHOD#${customerId}`;

const isReplaced = ({ before, after }: { readonly before?: Row; readonly after?: Row }): boolean =>
  before !== undefined && before.methodHash !== after?.methodHash;

const payersIn = (commit: Row): readonly Payer[] =>
  (commit as unknown as Commit).events.map((event) => parseEvent(paymentsContract, event).data as Payer);

const declinedIn = (commit: Row): readonly string[] =>
  (commit as unknown as Commit).events.flatMap(({ type }) =>
    type === 'PaymentDeclined' ? [String(commit.pk).slice('Payment#'.length)] : [],
  );

const shown = ({ declinedCharges, methodChangedAt }: Payer): string =>
  JSON.stringify([declinedCharges, methodChangedAt]);

/** Each write of a payer is the one event of its next version, as a whole. */
const payersAreTheirEvents: Check = (facts) =>
  writtenPayers(facts).flatMap(({ customerId, before, after, events: [event, ...others] }) => {
    const isNext = after.version === (before?.version ?? 0) + 1;
    if (isNext && event && others.length === 0 && shown(event) === shown(after)) return [];
    return [violation('a payer is what its events say', `${customerId} ${after.version}: ${shown(after)}`, customerId)];
  });

/** Every payment whose charge the provider declined counts once for its payer, in the write that declines it. */
const declinesCountOnce: Check = (facts) => {
  const counted = new Map<string, string[]>();
  const apart = writtenPayers(facts).flatMap(({ customerId, before, after, declined }) => {
    if (String(before?.declinedCharges ?? '') === String(after.declinedCharges)) return [];
    counted.set(customerId, [...(counted.get(customerId) ?? []), ...declined]);
    if (declined.length === 1) return [];
    return [violation('a declined charge counts with its payment', `${customerId} ${after.version}`, customerId)];
  });
  const wanted = declinedPayments(facts);
  return [...new Set([...counted.keys(), ...wanted.keys()])]
    .flatMap((customerId) => {
      const [found, right] = [counted, wanted].map((map) => (map.get(customerId) ?? []).toSorted().join(' '));
      if (found === right) return [];
      return [violation('a declined charge counts once', `${customerId}: ${found} instead of ${right}`, customerId)];
    })
    .concat(apart);
};

/** Payments by customer whose charge the provider declined; one that was undone meanwhile says so only there. */
function declinedPayments(facts: Facts): ReadonlyMap<string, readonly string[]> {
  const declinedThere = new Set(
    [...facts.sandbox.values()].flatMap(({ paymentId, status }) => (status === 'DECLINED' ? [String(paymentId)] : [])),
  );
  const byCustomer = new Map<string, readonly string[]>();
  for (const id of facts.payments.keys()) {
    const { payment } = toldOf(facts, id);
    if (payment.status !== 'DECLINED' || !(isDeclinedCharge(payment.reason) || declinedThere.has(id))) continue;
    byCustomer.set(payment.customerId, [...(byCustomer.get(payment.customerId) ?? []), id]);
  }
  return byCustomer;
}

/** A change is noted in the write that stores another payment method than before, and only there. */
const changesAreOfTheMethod: Check = (facts) => [
  ...writtenPayers(facts).flatMap(({ customerId, before, after, isOtherMethod }) =>
    (before?.methodChangedAt !== after.methodChangedAt) === isOtherMethod
      ? []
      : [violation('a change is noted with its payment method', `${customerId} ${after.version}`, customerId)],
  ),
  ...facts.writes.flatMap(({ changes }) =>
    changes.flatMap((change) => {
      const { after } = change;
      const [, customerId] = /^METHOD#(.+)$/.exec(String(after?.pk)) ?? [];
      if (customerId === undefined || !isReplaced(change)) return [];
      const isNoted = changes.some((other) => other.after?.pk === `Payer#${customerId}` && other.after?.sk === 'STATE');
      return isNoted ? [] : [violation('another payment method is noted as a change', customerId, customerId)];
    }),
  ),
];

/** A copy of a payer in the orders service, after one write. */
const copiesOf = ({ writes }: Facts) =>
  writes.flatMap(({ changes }) =>
    changes.flatMap(({ after }) => {
      const [, customerId] = /^USER#(.+)$/.exec(String(after?.pk)) ?? [];
      if (customerId === undefined || after?.sk !== 'PAYER') return [];
      return [{ customerId, copy: after as unknown as Written['after'] }];
    }),
  );

/** In the end orders know the newest state of a payer, unless an event of it is visible as failed or waiting. */
const ordersKnowTheNewest: Check = (facts) => {
  const listener = facts.listener('orders-users');
  const copies = new Map(copiesOf(facts).map(({ customerId, copy }) => [customerId, copy]));
  const newest = new Map(writtenPayers(facts).map(({ customerId, after }) => [customerId, after]));
  const isOpen = new Set(
    [...facts.published].flatMap(([id, { detail, 'detail-type': type }]) => {
      if (type !== 'PayerChanged' || facts.delivery(listener, { id }) === 'processed') return [];
      return [(detail as { data: { customerId: string } }).data.customerId];
    }),
  );
  return [...newest].flatMap(([customerId, payer]) => {
    const copy = copies.get(customerId);
    if ((copy && shown(copy) === shown(payer)) || isOpen.has(customerId)) return [];
    return [violation('orders know the newest state of a payer', `${customerId} ${payer.version}`, customerId)];
  });
};

/** A copy is never replaced by an older one. */
const ordersNeverGoBack: Check = (facts) => {
  const known = new Map<string, number>();
  return copiesOf(facts).flatMap(({ customerId, copy: { version } }) => {
    const before = known.get(customerId) ?? 0;
    known.set(customerId, version);
    if (version > before) return [];
    return [violation('what orders know of a payer never goes back', `${customerId}: ${version}`, customerId)];
  });
};
