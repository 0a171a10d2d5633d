import { requireEnv } from '@orderly/kit/aws';
import type { Now } from '@orderly/kit/decider';
import type { StoreOf } from '@orderly/kit/event-store';
import { accountsContract, tellingContract } from './contract.js';
import { type Account, accountDecider, type OperatorCommand } from './domain/account.js';
import { withExhaustion } from './domain/exhaustion.js';
import { AccountsEnv } from './environment.js';
import { ACCOUNT } from './keys.js';

/** Accounts of customers; the id is the customer's. */
export const accounts = { aggregate: ACCOUNT, contract: accountsContract, decider: accountDecider };

/** Accounts whose changes by an operator tell that an account has no available credit. */
export const tellingAccounts: typeof accounts = {
  ...accounts,
  contract: tellingContract,
  decider: {
    ...accountDecider,
    decide: (account: Account, command: OperatorCommand, now: Now) =>
      withExhaustion(account, command.customerId, accountDecider.decide(account, command, now)),
  },
};

/**
 * Accounts as this function decides about them: by the setting `exhaustedAccounts`, it tells changes of an account without
 * available credit.
 * @throws {SettingMissing} at start, if the construct did not set it
 */
export const decidingAccounts = (): typeof accounts => (tellsExhaustion() ? tellingAccounts : accounts);

/** @throws {SettingMissing} at start, if the construct did not set it */
export const tellsExhaustion = (): boolean => requireEnv(AccountsEnv.TELLS_EXHAUSTION) === 'true';

/** Tells whether a capture settles its order, by the setting `settlements`. @throws {SettingMissing} at start, if the construct did not set it */
export const settlesApproved = (): boolean => requireEnv(AccountsEnv.SETTLES_APPROVED) === 'true';

export type AccountStore = StoreOf<typeof accounts>;
