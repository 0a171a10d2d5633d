import type { Decider, Now } from '@orderly/kit/decider';
import { hourOf, type Money, type OrderLimit, type SealedData } from '../../orders/contract.js';
import type { AccountEvent, AccountStatus, AccountView, DeclineReason } from '../contract.js';

/** Sums and counts of an account. */
interface Books {
  /** The currency of the limit is the account's currency. */
  readonly creditLimit: Money;
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
  /** Part of the held and captured amounts whose payments were charged; without what was given back since. */
  readonly settled: number;
  /** Number of orders for which an amount is held. */
  readonly underWay: number;
  /**
   * Newest clock hour in which an order was authorised, as `2026-11-22T10`, and the number of orders authorised within it.
   */
  readonly hour: { readonly of: string; readonly orders: number };
}

/**
 * A customer's credit, folded from the account's events. It contains only sums and counts, so it doesn't grow with the
 * orders. The data of a single order is in its authorization (`authorization.ts`).
 *
 * A closed account is a soft delete: it takes nothing new, and still accepts what ends the orders that it had authorised.
 * So it is a status and not the end of the aggregate (`isDeleted`), after which nothing can be committed.
 */
export type Account =
  | { readonly status: 'NONE' }
  | ({ readonly status: 'OPEN' } & Books)
  /** `closedAt` is ISO 8601, UTC. */
  | ({ readonly status: 'CLOSED'; readonly closedAt: string } & Books);

/** Command of an operator. */
export type OperatorCommand =
  | { readonly type: 'SetCreditLimit'; readonly customerId: string; readonly creditLimit: Money }
  | {
      readonly type: 'SetStatus';
      readonly customerId: string;
      readonly status: AccountStatus;
      readonly reason?: SealedData;
      /** Credit limit with which an account is opened. */
      readonly defaultCreditLimit: Money;
    }
  | {
      readonly type: 'ApplyBonus';
      readonly customerId: string;
      readonly points: number;
      readonly reason: SealedData;
      /** Credit limit with which an account is opened. */
      readonly defaultCreditLimit: Money;
    };
type Of<Type extends OperatorCommand['type']> = Extract<OperatorCommand, { type: Type }>;

/** Maximum number of one customer's orders in progress at once, and authorised within a clock hour (UTC). */
export interface OrderLimits {
  readonly ordersUnderWay: number;
  readonly ordersPerHour: number;
}

/** Reason for which an order is declined, and the limit unless it is the credit. */
export interface Decline {
  readonly reason: DeclineReason;
  readonly limit?: OrderLimit;
}

/** A command that contradicts an earlier one, or that a closed account refuses. Nothing was changed. */
export class AccountRefused extends Error {
  override readonly name = 'AccountRefused';
  constructor(readonly code: 'AMOUNT_DIFFERS' | 'CURRENCY_IN_USE' | 'CLOSED') {
    super(code);
  }
}

/**
 * Returns the events that follow from an operator's command.
 * @throws {AccountRefused} `CURRENCY_IN_USE`, as {@link setCreditLimit}; `CLOSED` for a limit or a bonus of a closed account
 */
function decide(account: Account, command: OperatorCommand, { now }: Now): readonly AccountEvent[] {
  switch (command.type) {
    case 'SetCreditLimit':
      return setCreditLimit(account, command);
    case 'SetStatus':
      return setStatus(account, command, now);
    case 'ApplyBonus':
      return applyBonus(account, command);
  }
}

/** Returns the event that opens the account of a customer without one; none if there is one. */
export const openIfNew = (account: Account, customerId: string, creditLimit: Money): readonly AccountEvent[] =>
  account.status === 'NONE' ? [{ type: 'AccountOpened', data: { customerId, creditLimit } }] : [];

/** Returns the events that follow from a bonus. It opens an account for a customer without one, as an order does. */
function applyBonus(
  account: Account,
  { customerId, points, reason, defaultCreditLimit }: Of<'ApplyBonus'>,
): readonly AccountEvent[] {
  refuseClosed(account);
  const opening = openIfNew(account, customerId, defaultCreditLimit);
  return [...opening, { type: 'BonusApplied', data: { customerId, points, reason } }];
}

/**
 * Returns the events that follow from a status; none if it is set already. It opens an account for a customer without one, so
 * that the account of somebody who has not ordered yet can be closed too.
 */
function setStatus(
  account: Account,
  { customerId, status, reason, defaultCreditLimit }: Of<'SetStatus'>,
  at: string,
): readonly AccountEvent[] {
  const opening = openIfNew(account, customerId, defaultCreditLimit);
  if (opening.reduce(evolveAccount, account).status === status) return opening;
  const data = { customerId, at, ...(reason ? { reason } : {}) };
  return [...opening, { type: status === 'CLOSED' ? 'AccountClosed' : 'AccountReopened', data }];
}

/** @throws {AccountRefused} `CLOSED` if the account is closed */
function refuseClosed({ status }: Account): void {
  if (status === 'CLOSED') throw new AccountRefused('CLOSED');
}

/**
 * Returns the events that follow from a new limit; none if it is set already. A limit below the amount in use revokes
 * nothing; it only declines further orders.
 * @throws {AccountRefused} `CLOSED` if the account is closed, `CURRENCY_IN_USE` if its books have another currency
 */
function setCreditLimit(account: Account, { customerId, creditLimit }: Of<'SetCreditLimit'>): readonly AccountEvent[] {
  if (account.status === 'NONE') return [{ type: 'AccountOpened', data: { customerId, creditLimit } }];
  const sameCurrency = account.creditLimit.currency === creditLimit.currency;
  if (sameCurrency && account.creditLimit.amount === creditLimit.amount) return [];
  refuseClosed(account);
  if (!sameCurrency && (account.authorized > 0 || account.captured > 0)) throw new AccountRefused('CURRENCY_IN_USE');
  return [{ type: 'CreditLimitSet', data: { customerId, creditLimit } }];
}

/** Folds an event into a state. It is total: it accepts any event in any state and never refuses history. */
export function evolveAccount(account: Account, event: AccountEvent): Account {
  if (event.type === 'AccountOpened') {
    const { creditLimit } = event.data;
    const hour = { of: '', orders: 0 };
    return { status: 'OPEN', creditLimit, authorized: 0, captured: 0, refunded: 0, settled: 0, underWay: 0, hour };
  }
  if (account.status === 'NONE') return account;
  const { authorized, captured, refunded, settled, underWay } = account;
  switch (event.type) {
    case 'CreditLimitSet':
      return { ...account, creditLimit: event.data.creditLimit };
    case 'AccountClosed':
      return { ...account, status: 'CLOSED', closedAt: event.data.at };
    case 'AccountReopened': {
      const { closedAt: _, ...books } = { closedAt: '', ...account };
      return { ...books, status: 'OPEN' };
    }
    case 'AccountAuthorized':
      return {
        ...account,
        authorized: authorized + event.data.amount.amount,
        underWay: underWay + 1,
        hour: countOrder(account.hour, event.data.at),
      };
    case 'AuthorizationCaptured': {
      const { amount, settles } = event.data;
      return {
        ...account,
        authorized: authorized - amount.amount,
        captured: captured + amount.amount,
        settled: settled + (settles?.amount ?? 0),
        underWay: underWay - 1,
      };
    }
    case 'AuthorizationReleased':
      return {
        ...account,
        authorized: authorized - event.data.amount.amount,
        settled: settled - settledIn(event.data),
        underWay: underWay - 1,
      };
    case 'AccountRefunded':
      return {
        ...account,
        refunded: refunded + event.data.amount.amount,
        settled: settled - settledIn(event.data),
      };
    case 'CreditSettled':
      return { ...account, settled: settled + event.data.amount.amount };
    case 'AuthorizationDeclined':
    case 'AuthorizationVoided':
    case 'BonusApplied':
    case 'ExhaustedAccountChanged':
    case 'SagaReplyRequested':
      return account;
  }
}

/** Returns how much of a released or refunded amount had been settled: it is available already. */
const settledIn = ({ settled }: { readonly settled?: { readonly amount: number } }): number => settled?.amount ?? 0;

/**
 * Counts an order in its hour, and drops an hour that is over. If a clock is behind, the order counts in the newest
 * hour.
 */
function countOrder(hour: Books['hour'], at: string | undefined): Books['hour'] {
  if (at === undefined) return hour;
  const of = hourOf(at);
  return of > hour.of ? { of, orders: 1 } : { ...hour, orders: hour.orders + 1 };
}

/** Rules of a customer's account for its operators. Those for its orders are `authorizationDecider`. */
export const accountDecider: Decider<Account, OperatorCommand, AccountEvent> = {
  initialState: { status: 'NONE' },
  evolve: evolveAccount,
  decide,
  stateSchema: 4,
};

/** Returns the account as the API shows it; `undefined` if it was never opened. */
export function toView(customerId: string, account: Account, version: number): AccountView | undefined {
  if (account.status === 'NONE') return undefined;
  const { creditLimit, authorized, captured, refunded, settled } = account;
  const money = (amount: number): Money => ({ amount, currency: creditLimit.currency });
  return {
    customerId,
    status: account.status,
    ...(account.status === 'CLOSED' ? { closedAt: account.closedAt } : {}),
    creditLimit,
    authorized: money(authorized),
    captured: money(captured),
    refunded: money(refunded),
    settled: money(settled),
    available: money(account.status === 'CLOSED' ? 0 : computeAvailable(account)),
    version,
  };
}

/** An operator may set the limit below the amount in use: then nothing is available, but the value isn't negative. */
const computeAvailable = ({ creditLimit, authorized, captured, refunded, settled }: Books): number =>
  Math.max(0, creditLimit.amount - (authorized + captured - refunded - settled));

/** Tells whether an open account has no available credit. */
export const isExhausted = (account: Account): boolean => account.status === 'OPEN' && computeAvailable(account) === 0;

/** Returns why an account can't hold this amount for one more order; `undefined` if it can. @param now ISO 8601, UTC */
export function findDeclineReason(
  account: Account,
  { amount, currency }: Money,
  { ordersUnderWay, ordersPerHour }: OrderLimits,
  now: string,
): Decline | undefined {
  if (account.status === 'CLOSED') return { reason: 'ACCOUNT_CLOSED' };
  if (account.status === 'NONE' || account.creditLimit.currency !== currency) return { reason: 'CURRENCY_MISMATCH' };
  if (amount > computeAvailable(account)) return { reason: 'OVER_LIMIT' };
  if (account.underWay >= ordersUnderWay) return { reason: 'OVER_LIMIT', limit: 'ORDERS_UNDER_WAY' };
  const { of, orders } = account.hour;
  const isOver = hourOf(now) > of;
  return !isOver && orders >= ordersPerHour ? { reason: 'OVER_LIMIT', limit: 'ORDERS_PER_HOUR' } : undefined;
}
