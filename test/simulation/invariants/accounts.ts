import { type AccountEvent, accountsContract } from '../../../lambdas/accounts/contract.js';
import { type Account, evolveAccount, toView } from '../../../lambdas/accounts/domain/account.js';
import { evolve, initialState } from '../../../lambdas/accounts/domain/authorization.js';
import { readEvent } from '../../../packages/kit/messages/contract.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import type { Commit, Facts } from '../../support/simulation/facts.js';
import { type Check, violation } from './violation.js';

/** Invariants of every customer's credit, despite duplicates, delays, concurrency and reordering. */
export const accounts: Check = (facts) => [
  ...withinTheLimit(facts),
  ...creditIsConserved(facts),
  ...snapshotsAreRight(facts),
  ...paidIsSettled(facts),
  ...returnsAreCounted(facts),
  ...onceByBusinessId(facts),
  ...releaseEndsAnOrder(facts),
  ...ordersAreKnown(facts),
  ...limitsAreSet(facts),
  ...closedIsClosed(facts),
  ...statusesAreSet(facts),
  ...bonusesAreApplied(facts),
  ...rowsAreRight(facts),
];

/** Returns the events of an account's commits, in their newest versions. */
const eventsOf = (commits: readonly Commit[]): readonly AccountEvent[] =>
  commits.flatMap(({ events }) =>
    events.map(
      ({ type, schemaVersion, data }) =>
        readEvent(accountsContract, type, schemaVersion, JSON.parse(data)) as AccountEvent,
    ),
  );

/** Folds the account from its first events. @param version number of events; all by default */
export const accountAt = (commits: readonly Commit[], version = Number.POSITIVE_INFINITY): Account =>
  eventsOf(commits).slice(0, version).reduce(evolveAccount, initialState.account);

/** Groups events by the order that they name. */
function byOrder(commits: readonly Commit[]): ReadonlyMap<string, readonly AccountEvent[]> {
  const found = new Map<string, AccountEvent[]>();
  for (const event of eventsOf(commits)) {
    if (!('orderId' in event.data)) continue;
    found.set(event.data.orderId, [...(found.get(event.data.orderId) ?? []), event]);
  }
  return found;
}

/** No authorization exceeds the limit at its time, and nothing is released or refunded that was not taken before. */
const withinTheLimit: Check = ({ accounts }) =>
  [...accounts].flatMap(([id, commits]) => {
    let account: Account = initialState.account;
    return eventsOf(commits).flatMap((event): readonly Violation[] => {
      const before = toView(id, account, 0);
      if (event.type === 'AuthorizationDeclined' && event.data.reason === 'OVER_LIMIT' && !event.data.limit) {
        const told = `${event.data.amount.amount} of ${before?.available.amount}`;
        const isOver = !before || event.data.amount.amount > before.available.amount;
        return isOver ? [] : [violation('an order is declined only if it is over the limit', told, id)];
      }
      account = evolveAccount(account, event);
      if (account.status === 'NONE') return [];
      const { creditLimit, authorized, captured, refunded, settled } = account;
      const used = authorized + captured - refunded - settled;
      const told = `${event.type}: ${used} of ${creditLimit.amount}, authorised ${authorized}, captured ${captured}, refunded ${refunded}, settled ${settled}`;
      const over = event.type === 'AccountAuthorized' && event.data.amount.amount > 0 && used > creditLimit.amount;
      if (over) return [violation('an account never exceeds its credit limit', told, id)];
      const negative = authorized < 0 || captured < refunded || settled < 0 || used < 0;
      return negative ? [violation('an account returns no more than it took', told, id)] : [];
    });
  });

/** Tells whether an event settles its order: its charge, or the capture of an approved order. */
const settles = (event: AccountEvent): boolean =>
  event.type === 'CreditSettled' || (event.type === 'AuthorizationCaptured' && event.data.settles !== undefined);

/** Returns how much of the credit an order uses after its events, counted apart from the account's own rules. */
function usedAfter(events: readonly AccountEvent[]): number {
  let used = 0;
  for (const event of events) {
    if (event.type === 'AccountAuthorized') used = event.data.amount.amount;
    if (event.type === 'AuthorizationReleased' || settles(event)) used = 0;
    if (event.type === 'AccountRefunded') used = Math.max(0, used - event.data.amount.amount);
  }
  return used;
}

/** The limit is what is available, and what orders hold or have captured without a payment that settled it. */
const creditIsConserved: Check = ({ accounts }) =>
  [...accounts].flatMap(([id, commits]) => {
    const account = accountAt(commits);
    if (account.status === 'NONE') return [];
    const orders = [...byOrder(commits).values()].reduce((sum, events) => sum + usedAfter(events), 0);
    const { creditLimit, authorized, captured, refunded, settled } = account;
    const available = creditLimit.amount - (authorized + captured - refunded - settled);
    const told = `limit ${creditLimit.amount}, available ${available}, used by orders ${orders}`;
    return available + orders === creditLimit.amount
      ? []
      : [violation('credit limit = available + what orders use and have not settled', told, id)];
  });

/** A snapshot equals the events up to it, folded. */
const snapshotsAreRight: Check = ({ accounts }) =>
  [...accounts].flatMap(([id, commits]) =>
    commits.flatMap(({ lastVersion, snapshot }) => {
      const wanted = JSON.stringify(accountAt(commits, lastVersion));
      if (!snapshot || snapshot.state === wanted) return [];
      return [
        violation('a snapshot equals its events, folded', `${lastVersion}: ${snapshot.state}, not ${wanted}`, id),
      ];
    }),
  );

/** Tells whether approvals settle their orders, by the setting `settlements`. */
const approvalsSettle = ({ orderly: { cloud } }: Facts): boolean =>
  [...cloud.functions.values()].some(
    ({ label, variables }) => label === 'Accounts/OnOrderEnds' && variables.SETTLES_APPROVED === 'true',
  );

/** A customer whose payment was charged owes nothing for that order, and an order is settled by a charge only. */
const paidIsSettled: Check = (facts) =>
  [...facts.accounts].flatMap(([customer, commits]) =>
    [...byOrder(commits)].flatMap(([id, events]) => {
      const charged = (facts.payments.get(id) ?? [])
        .flatMap((commit) => commit.events)
        .find(({ type }) => type === 'PaymentCharged');
      const settled = events.filter(settles).length;
      const told = `${customer}, ${id}: ${events.map(({ type }) => type).join(', ')}`;
      if (settled > (charged ? 1 : 0)) return [violation('an order is settled once, by its charge', told, id)];
      if (
        approvalsSettle(facts) &&
        events.some(({ type, data }) => type === 'AuthorizationCaptured' && data.stepId.endsWith('/approved')) &&
        usedAfter(events) !== 0
      )
        return [violation('an order that was approved uses no credit', told, id)];
      const heard = charged && facts.delivery(facts.listener('accounts-payments'), charged) === 'processed';
      return heard && usedAfter(events) !== 0 ? [violation('an order that was paid uses no credit', told, id)] : [];
    }),
  );

/** The account never refuses what a dispatched order's payment gives back for returned goods, whatever it has heard of. */
const returnsAreCounted: Check = ({ accounts }) =>
  [...accounts].flatMap(([customer, commits]) =>
    eventsOf(commits).flatMap(({ type, data }) => {
      if (type !== 'SagaReplyRequested' || !data.stepId.endsWith('/returned') || data.outcome === 'DONE') return [];
      const told = `${customer}, ${data.orderId}: ${data.reason}`;
      return [violation('a return is counted in the account', told, data.orderId)];
    }),
  );

const onceByBusinessId: Check = ({ accounts }) =>
  [...accounts].flatMap(([customer, commits]) =>
    [...byOrder(commits)].flatMap(([id, events]) => {
      const times = (...types: readonly string[]): number => events.filter(({ type }) => types.includes(type)).length;
      const refunds = events.flatMap((event) => (event.type === 'AccountRefunded' ? [event.data.refundId] : []));
      const right =
        times('AccountAuthorized', 'AuthorizationDeclined', 'AuthorizationVoided') <= 1 &&
        times('AuthorizationCaptured', 'AuthorizationReleased') <= times('AccountAuthorized') &&
        new Set(refunds).size === refunds.length;
      const told = `${customer}, ${id}: ${events.map(({ type }) => type).join(', ')}`;
      return right ? [] : [violation('each step of an order has one effect on its account', told, id)];
    }),
  );

/** After a release was answered as done, nothing is held for its order any more. */
const releaseEndsAnOrder: Check = ({ accounts }) =>
  [...accounts].flatMap(([, commits]) =>
    [...byOrder(commits)].flatMap(([id, events]) => {
      const done = events.findIndex(
        ({ type, data }) =>
          type === 'AuthorizationVoided' ||
          type === 'AuthorizationReleased' ||
          (type === 'SagaReplyRequested' && /\/(release|undo)$/.test(data.stepId) && data.outcome === 'DONE'),
      );
      const late = done >= 0 && events.slice(done).some(({ type }) => type === 'AccountAuthorized');
      const told = `${id}: ${events.map(({ type }) => type).join(', ')}`;
      return late ? [violation('an order that was released is not authorised again', told, id)] : [];
    }),
  );

/** The stored authorization of an order equals the fold of the order's events. */
const ordersAreKnown: Check = ({ accounts, authorizations }) =>
  [...accounts].flatMap(([customer, commits]) =>
    [...byOrder(commits)].flatMap(([id, events]) => {
      const wanted = JSON.stringify(events.reduce(evolve, initialState).authorization);
      const found = authorizations.get(`Account#${customer} AUTH#${id}`);
      return found === wanted
        ? []
        : [violation("an account's item of an order equals its events, folded", `${id}: ${found}, not ${wanted}`, id)];
    }),
  );

/** G1: an acknowledged limit is in the account's history. */
const limitsAreSet: Check = ({ orderly, accounts }) =>
  orderly.answered.flatMap(({ path, body, reply }) => {
    const [, customer = ''] = /^\/accounts\/([^/]+)\/credit-limit$/.exec(path) ?? [];
    if (customer === '' || reply.status !== 200) return [];
    const { creditLimit } = body as { creditLimit: { amount: number } };
    const isSet = eventsOf(accounts.get(customer) ?? []).some(
      ({ data }) => 'creditLimit' in data && data.creditLimit.amount === creditLimit.amount,
    );
    return isSet
      ? []
      : [violation('an acknowledged limit is committed', `${customer} ${creditLimit.amount}`, customer)];
  });

/** Events that a closed account doesn't accept. */
const NEW = ['AccountAuthorized', 'CreditLimitSet', 'BonusApplied'];

/** A closed account takes nothing new, and refuses no other step of an order for being closed. */
const closedIsClosed: Check = ({ accounts }) =>
  [...accounts].flatMap(([id, commits]) => {
    let account: Account = initialState.account;
    return eventsOf(commits).flatMap((event): readonly Violation[] => {
      const { status } = account;
      account = evolveAccount(account, event);
      const told = `${event.type} while ${status}`;
      if (status === 'CLOSED' && NEW.includes(event.type)) {
        return [violation('a closed account takes nothing new', told, id)];
      }
      const reason = 'reason' in event.data ? event.data.reason : undefined;
      if (reason !== 'ACCOUNT_CLOSED') return [];
      // The answer to a repeat is the first one, also if the account was opened again since.
      const right = event.type === 'SagaReplyRequested' ? isAuthorizing(event.data.stepId) : status === 'CLOSED';
      return right ? [] : [violation('only orders of a closed account are refused for that', told, id)];
    });
  });

const isAuthorizing = (stepId: string): boolean => /\/authorize(-account)?$/.test(stepId);

/** G1: an acknowledged status was in force at the version of its answer. */
const statusesAreSet: Check = ({ orderly, accounts }) =>
  orderly.answered.flatMap(({ path, body, reply }) => {
    const [, customer = ''] = /^\/accounts\/([^/]+)\/status$/.exec(path) ?? [];
    if (customer === '' || reply.status !== 200) return [];
    const { status } = body as { status: string };
    const at = accountAt(accounts.get(customer) ?? [], Number(reply.body.version)).status;
    return at === status ? [] : [violation('an acknowledged status is committed', `${status}, not ${at}`, customer)];
  });

const isBonus = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === 'POST' && /^\/accounts\/[^/]+\/bonus$/.test(path);

/** G1, G2: an acknowledged bonus is in the account's history at the version of its answer, and each key has one. */
const bonusesAreApplied: Check = ({ orderly, accounts }) => {
  const answered = orderly.answered.filter(isBonus);
  const shown = answered.flatMap(({ body, reply }) => {
    if (reply.status !== 201) return [];
    const { customerId, version } = reply.body as { customerId: string; version: number };
    const event = eventsOf(accounts.get(customerId) ?? [])[version - 1];
    const { points } = body as { points: number };
    return event?.type === 'BonusApplied' && event.data.points === points
      ? []
      : [violation('an acknowledged bonus is committed', `${points} at ${version}: ${event?.type}`, customerId)];
  });
  const keys = new Set(
    [...answered.filter(({ reply }) => reply.status === 201), ...orderly.unanswered.filter(isBonus)].map(
      ({ path, key }) => `${path} ${key}`,
    ),
  );
  const applied = [...accounts.values()].flatMap(eventsOf).filter(({ type }) => type === 'BonusApplied').length;
  return applied > keys.size
    ? [...shown, violation('an idempotency key has one bonus', `${applied} of ${keys.size} keys`)]
    : shown;
};

/** The list of accounts without credit equals its rebuild, up to the last event that reached it. */
const rowsAreRight: Check = (facts) =>
  [...facts.accounts].flatMap(([id, commits]) => {
    const listener = facts.listener('accounts-exhausted');
    const reached = commits
      .flatMap(({ events }) => events)
      .reduce((last, event, at) => (facts.delivery(listener, event) === 'processed' ? at + 1 : last), 0);
    const row = facts.creditRows.get(id);
    const version = row?.version ?? 0;
    const view = toView(id, accountAt(commits, version), version);
    const wanted = view?.status === 'OPEN' && view.available.amount === 0 ? JSON.stringify(view) : undefined;
    const inIndex = row?.exhaustedPk !== undefined && row.exhaustedSk === id;
    const right = version >= reached && row?.account === wanted && inIndex === (wanted !== undefined);
    const told = `${id}: row ${JSON.stringify(row)}, account at ${reached} ${JSON.stringify(accountAt(commits, reached))}`;
    return right ? [] : [violation('the list of exhausted accounts equals its rebuild', told, id)];
  });
