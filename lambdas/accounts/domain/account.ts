import { hourOf, type Money, type OrderLimit } from '../../orders/contract.js';
import type { AccountEvent, AccountView, DeclineReason } from '../contract.js';

/**
 * A customer's credit, folded from the account's events: sums and counts only, so that it doesn't grow with the orders.
 * What is known of one order stands beside it (`authorization.ts`).
 */
export type Account =
  | { readonly status: 'NONE' }
  | {
      readonly status: 'OPEN';
      /** Its currency is the account's. */
      readonly creditLimit: Money;
      readonly authorized: number;
      readonly captured: number;
      readonly refunded: number;
      /** Orders that something is held for. */
      readonly underWay: number;
      /** Orders that were authorised within the newest clock hour in which one was; that hour as `2026-11-22T10`. */
      readonly hour: { readonly of: string; readonly orders: number };
    };

type Open = Extract<Account, { status: 'OPEN' }>;

/** How many orders of one customer may be under way at once, and be authorised within a clock hour (UTC). */
export interface OrderLimits {
  readonly ordersUnderWay: number;
  readonly ordersPerHour: number;
}

/** Why an order is declined, and by which limit where it isn't the credit. */
export interface Decline {
  readonly reason: DeclineReason;
  readonly limit?: OrderLimit;
}

/** A command that contradicts what was done before. Nothing was changed; asking again gives the same answer. */
export class AccountRefused extends Error {
  override readonly name = 'AccountRefused';
  constructor(readonly code: 'AMOUNT_DIFFERS' | 'CURRENCY_IN_USE') {
    super(code);
  }
}

/**
 * Which events follow from a new limit; none where it is set already. A limit below what is used takes nothing back: it
 * lets nothing more through.
 * @throws {AccountRefused} `CURRENCY_IN_USE` where another currency is on the account's books
 */
export function setCreditLimit(account: Account, customerId: string, creditLimit: Money): readonly AccountEvent[] {
  if (account.status === 'NONE') return [{ type: 'AccountOpened', data: { customerId, creditLimit } }];
  const sameCurrency = account.creditLimit.currency === creditLimit.currency;
  if (sameCurrency && account.creditLimit.amount === creditLimit.amount) return [];
  if (!sameCurrency && (account.authorized > 0 || account.captured > 0)) throw new AccountRefused('CURRENCY_IN_USE');
  return [{ type: 'CreditLimitSet', data: { customerId, creditLimit } }];
}

/** Total: any event in any state; history is never refused. */
export function evolveAccount(account: Account, event: AccountEvent): Account {
  if (event.type === 'AccountOpened') {
    const { creditLimit } = event.data;
    const hour = { of: '', orders: 0 };
    return { status: 'OPEN', creditLimit, authorized: 0, captured: 0, refunded: 0, underWay: 0, hour };
  }
  if (account.status === 'NONE') return account;
  const { authorized, captured, refunded, underWay } = account;
  switch (event.type) {
    case 'CreditLimitSet':
      return { ...account, creditLimit: event.data.creditLimit };
    case 'AccountAuthorized':
      return {
        ...account,
        authorized: authorized + event.data.amount.amount,
        underWay: underWay + 1,
        hour: counted(account.hour, event.data.at),
      };
    case 'AuthorizationCaptured': {
      const { amount } = event.data.amount;
      return { ...account, authorized: authorized - amount, captured: captured + amount, underWay: underWay - 1 };
    }
    case 'AuthorizationReleased':
      return { ...account, authorized: authorized - event.data.amount.amount, underWay: underWay - 1 };
    case 'AccountRefunded':
      return { ...account, refunded: refunded + event.data.amount.amount };
    case 'AuthorizationDeclined':
    case 'AuthorizationVoided':
    case 'SagaReplyRequested':
      return account;
  }
}

/** An hour that is over is forgotten. Of a clock that runs behind, the order counts in the newest hour. */
function counted(hour: Open['hour'], at: string | undefined): Open['hour'] {
  if (at === undefined) return hour;
  const of = hourOf(at);
  return of > hour.of ? { of, orders: 1 } : { ...hour, orders: hour.orders + 1 };
}

/** The account as the API shows it; nothing where it was never opened. */
export function viewOf(customerId: string, account: Account, version: number): AccountView | undefined {
  if (account.status === 'NONE') return undefined;
  const { creditLimit, authorized, captured, refunded } = account;
  const money = (amount: number): Money => ({ amount, currency: creditLimit.currency });
  return {
    customerId,
    creditLimit,
    authorized: money(authorized),
    captured: money(captured),
    refunded: money(refunded),
    available: money(availableOf(account)),
    version,
  };
}

/** An operator may set the limit below what is used: then nothing is left, and nothing is owed for that. */
const availableOf = ({ creditLimit, authorized, captured, refunded }: Open): number =>
  Math.max(0, creditLimit.amount - (authorized + captured - refunded));

/** Why an account can't hold this amount for one order more; nothing where it can. @param now ISO 8601, UTC */
export function whyNot(
  account: Account,
  { amount, currency }: Money,
  { ordersUnderWay, ordersPerHour }: OrderLimits,
  now: string,
): Decline | undefined {
  if (account.status === 'NONE' || account.creditLimit.currency !== currency) return { reason: 'CURRENCY_MISMATCH' };
  if (amount > availableOf(account)) return { reason: 'OVER_LIMIT' };
  if (account.underWay >= ordersUnderWay) return { reason: 'OVER_LIMIT', limit: 'ORDERS_UNDER_WAY' };
  const { of, orders } = account.hour;
  const isOver = hourOf(now) > of;
  return !isOver && orders >= ordersPerHour ? { reason: 'OVER_LIMIT', limit: 'ORDERS_PER_HOUR' } : undefined;
}
