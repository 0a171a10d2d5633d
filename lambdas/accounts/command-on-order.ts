import { clock, required } from '@orderly/kit/aws';
import type { Handling } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import * as z from 'zod/mini';
import { customerLimits } from '../customer-limits.js';
import { Money } from '../orders/contract.js';
import { type AccountStores, orderOfAccount, writesOf } from './account-store.js';
import type { AccountCommand } from './contract.js';
import { type Authorization, authorizationDecider, type Facts } from './domain/authorization.js';
import { AccountsEnv } from './environment.js';

/** Stores and facts of a command on an account. */
export interface AccountsContext extends AccountStores {
  readonly facts: Facts;
}

/**
 * Reads the settings of this function's decisions.
 * @throws {SettingMissing} at start, if the construct did not set them
 */
export const factsOfFunction = (): Facts => ({
  defaultCreditLimit: z.parse(Money, JSON.parse(required(AccountsEnv.DEFAULT_CREDIT_LIMIT))),
  limits: customerLimits(),
});

/**
 * Handles a message by a command on an account and its authorization of one order.
 * @param commandOf command that follows from the authorization
 */
export const commandOnOrder = (
  { facts, ...stores }: AccountsContext,
  { customerId, orderId }: { readonly customerId: string; readonly orderId: string },
  commandOf: (authorization: Authorization) => AccountCommand,
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
