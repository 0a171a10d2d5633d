import { clock } from '@orderly/kit/aws';
import type { Handling } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import { customerLimits } from '../customer-limits.js';
import { type AccountStores, orderOfAccount, writesOf } from './account-store.js';
import type { AccountCommand } from './contract.js';
import { defaultCreditLimitOfFunction } from './default-credit-limit.js';
import { type Authorization, authorizationDecider, type Facts, type PaymentCommand } from './domain/authorization.js';

/** Stores and facts of a command on an account. */
export interface AccountsContext extends AccountStores {
  readonly facts: Facts;
}

/**
 * Reads the settings of this function's decisions.
 * @throws {SettingMissing} at start, if the construct did not set them
 */
export const factsOfFunction = (): Facts => ({
  defaultCreditLimit: defaultCreditLimitOfFunction(),
  limits: customerLimits(),
});

/**
 * Handles a message by a command on an account and its authorization of one order.
 * @param commandOf command that follows from the authorization
 */
export const commandOnOrder = (
  { facts, ...stores }: AccountsContext,
  { customerId, orderId }: { readonly customerId: string; readonly orderId: string },
  commandOf: (authorization: Authorization) => AccountCommand | PaymentCommand,
  trace: Trace,
): Handling => ({
  decide: async () => {
    const order = await orderOfAccount(stores, customerId, orderId);
    const { account, authorization } = order;
    const state = { account: account.state, authorization };
    const events = authorizationDecider.decide(state, commandOf(authorization), { ...facts, now: clock.now() });
    return writesOf(stores.accountStore, order, events, trace);
  },
});
