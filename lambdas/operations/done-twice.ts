import { type DuplicateCheck, type DuplicateEffect, firstVersionOf } from '@orderly/operator';
import type { AggregateFacts } from './deliveries.js';
import { AccountReader, findOrderIds, readAggregates } from './order-aggregates.js';

/**
 * Finds violations of the promises G2 and G3: two commits of one aggregate with the same cause, or a second effect that an
 * order may have only once. It is a pure function.
 * @param aggregates those of an order, with their commits about it
 */
export const findDoneTwice = (aggregates: readonly AggregateFacts[]): readonly DuplicateEffect[] =>
  aggregates.flatMap((aggregate) => [...findRepeatedCauses(aggregate), ...findRepeatedEffects(aggregate)]);

/** How `orderly audit` finds what was done twice: by the rule of `orderly order`, in each order that a commit is about. */
export const ordersTwiceCheck: DuplicateCheck = {
  noun: 'order',
  idsIn: findOrderIds,
  openCheck: ({ documents, services }) => {
    const accounts = new AccountReader(documents, services);
    return async (orderId) => findDoneTwice(await readAggregates(documents, services, orderId, accounts));
  },
};

/** A cause leads to at most one commit of an aggregate, however often it is delivered. */
const findRepeatedCauses = ({ subject, commits }: AggregateFacts): readonly DuplicateEffect[] =>
  findRepeated(commits.map((commit) => [commit.trigger, firstVersionOf(commit)])).map(([trigger, versions]) => ({
    subject,
    trigger,
    versions,
  }));

/** Effects that an order has only once, however often its saga sends a step; a failed refund may be requested again. */
const ONCE_PER_ORDER: ReadonlySet<string> = new Set([
  ...['OrderPlaced', 'OrderApproved', 'OrderDispatched', 'OrderRejected', 'OrderCancelled'],
  ...['PricesConfirmed', 'PricesRefused'],
  ...['AccountAuthorized', 'AuthorizationDeclined', 'AuthorizationCaptured', 'AuthorizationReleased'],
  'CreditSettled',
  ...['StockReserved', 'StockRejected', 'StockReleased', 'StockDispatched'],
  ...['PaymentRequested', 'PaymentCharged', 'PaymentDeclined'],
]);

const findRepeatedEffects = ({ subject, commits }: AggregateFacts): readonly DuplicateEffect[] =>
  findRepeated(
    commits.flatMap((commit) =>
      commit.events.flatMap(({ type }, at) =>
        ONCE_PER_ORDER.has(type) ? [[type, firstVersionOf(commit) + at] as const] : [],
      ),
    ),
  ).map(([type, versions]) => ({ subject, type, versions }));

/** Returns the names that occur more than once, each with all its versions. */
function findRepeated(
  named: readonly (readonly [string, number])[],
): readonly (readonly [string, readonly number[]])[] {
  const versions = new Map<string, number[]>();
  for (const [name, version] of named) versions.set(name, [...(versions.get(name) ?? []), version]);
  return [...versions].filter(([, found]) => found.length > 1);
}
