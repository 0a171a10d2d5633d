import type { AccountEvent } from '../../../lambdas/accounts/contract.js';
import type { PaymentEvent } from '../../../lambdas/payments/contract.js';
import { settingsFor } from '../../../lib/settings.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Facts } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/** Limits with which a history is deployed (support/assembly.ts). */
const LIMITS = settingsFor('prod').customerLimits;

/** Invariants of every customer's limits, despite duplicates, concurrency and losses. */
export const limits: Check = (facts) => [...countsAreRight(facts), ...accountsAreWithinLimits(facts)];

type Count = Record<string, number>;

/** Counts the accepted requests by customer and day, from the commits of their payments. */
function accepted({ payments }: Facts): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  const add = (key: string, name: string, by: number): void => {
    const count = counts.get(key) ?? {};
    counts.set(key, { ...count, [name]: (count[name] ?? 0) + by });
  };
  for (const commits of payments.values()) {
    let customer: string | undefined;
    for (const { at, events } of commits) {
      for (const { type, data } of events.map(({ type, data }) => ({ type, data: JSON.parse(data) }) as PaymentEvent)) {
        // Orders' payments and their compensations are no requests of a customer.
        if (type === 'PaymentRequested' && data.stepId === undefined) {
          customer = data.customerId;
          add(`limit#${customer}#${at.slice(0, 10)}`, 'payments', 1);
        }
        if (type !== 'RefundRequested' || customer === undefined) continue;
        const key = `limit#${customer}#${at.slice(0, 10)}`;
        add(key, 'refunds', 1);
        add(key, `refunded#${data.amount.currency}`, data.amount.amount);
      }
    }
  }
  return counts;
}

/** Each accepted payment and refund is counted once, nothing else is counted, and no day exceeds its limit. */
const countsAreRight: Check = (facts) => {
  // The last stored counts, since they expire.
  const stored = new Map<string, Count>();
  for (const { changes } of facts.writes) {
    for (const { after } of changes) {
      if (!String(after?.pk).startsWith('limit#')) continue;
      const { pk, expiresAt: _, ...count } = after as Record<string, unknown>;
      stored.set(String(pk), count as Count);
    }
  }
  const wanted = accepted(facts);
  return [...new Set([...stored.keys(), ...wanted.keys()])].flatMap((key) => {
    const [found = {}, right = {}] = [stored.get(key), wanted.get(key)];
    const told = `${key}: ${sorted(found)}, accepted ${sorted(right)}`;
    const broken: Violation[] = [];
    if (sorted(found) !== sorted(right))
      broken.push(violation("a customer's requests of a day are counted once", told));
    const { payments = 0, refunds = 0, ...sums } = right;
    const within =
      payments <= LIMITS.paymentsPerDay &&
      refunds <= LIMITS.refundsPerDay &&
      Object.values(sums).every((sum) => sum <= LIMITS.refundedPerDay);
    if (!within) broken.push(violation('no customer exceeds the daily limits', told));
    return broken;
  });
};

const sorted = (count: Count): string =>
  Object.entries(count)
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join(', ');

/**
 * No account authorises more orders than its limits allow, and no order is declined for a limit that wasn't reached.
 */
const accountsAreWithinLimits: Check = ({ accounts }) =>
  [...accounts].flatMap(([customer, commits]) => {
    const underWay = new Set<string>();
    const inHour = new Map<string, number>();
    return commits.flatMap(({ at, events }) =>
      events.flatMap((event): readonly Violation[] => {
        const { type, data } = { type: event.type, data: JSON.parse(event.data) } as AccountEvent;
        if (type === 'AuthorizationCaptured' || type === 'AuthorizationReleased') underWay.delete(data.orderId);
        if (type === 'AuthorizationDeclined' && data.limit === 'ORDERS_UNDER_WAY') {
          const told = `${customer}, ${data.orderId}: ${underWay.size} are under way`;
          return underWay.size >= LIMITS.ordersUnderWay
            ? []
            : [violation('an order is declined for a limit only if the limit is reached', told, data.orderId)];
        }
        if (type !== 'AccountAuthorized') return [];
        underWay.add(data.orderId);
        const hour = (data.at ?? at).slice(0, 13);
        const orders = (inHour.get(hour) ?? 0) + 1;
        inHour.set(hour, orders);
        const told = `${customer}, ${data.orderId}: ${underWay.size} are under way, ${orders} in ${hour}`;
        return underWay.size <= LIMITS.ordersUnderWay && orders <= LIMITS.ordersPerHour
          ? []
          : [violation('no account exceeds its limits of orders', told, data.orderId)];
      }),
    );
  });
