import type { Money } from '../../orders/contract.js';
import type { AccountEvent, AccountView, DeclineReason } from '../contract.js';

/**
 * A customer's credit, folded from the account's events: sums only, so that it doesn't grow with the orders. What is
 * known of one order stands beside it (`authorization.ts`).
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
    };

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
    return { status: 'OPEN', creditLimit: event.data.creditLimit, authorized: 0, captured: 0, refunded: 0 };
  }
  if (account.status === 'NONE') return account;
  const { authorized, captured, refunded } = account;
  switch (event.type) {
    case 'CreditLimitSet':
      return { ...account, creditLimit: event.data.creditLimit };
    case 'AccountAuthorized':
      return { ...account, authorized: authorized + event.data.amount.amount };
    case 'AuthorizationCaptured': {
      const { amount } = event.data.amount;
      return { ...account, authorized: authorized - amount, captured: captured + amount };
    }
    case 'AuthorizationReleased':
      return { ...account, authorized: authorized - event.data.amount.amount };
    case 'AccountRefunded':
      return { ...account, refunded: refunded + event.data.amount.amount };
    case 'AuthorizationDeclined':
    case 'AuthorizationVoided':
    case 'SagaReplyRequested':
      return account;
  }
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
const availableOf = ({ creditLimit, authorized, captured, refunded }: Extract<Account, { status: 'OPEN' }>): number =>
  Math.max(0, creditLimit.amount - (authorized + captured - refunded));

/** Why an account can't hold this amount; nothing where it can. */
export function whyNot(account: Account, { amount, currency }: Money): DeclineReason | undefined {
  if (account.status === 'NONE' || account.creditLimit.currency !== currency) return 'CURRENCY_MISMATCH';
  return amount > availableOf(account) ? 'OVER_LIMIT' : undefined;
}
