import { clock, retryOnConflict } from '@orderly/kit/aws';
import { type Loaded, VersionTaken } from '@orderly/kit/event-store';
import { Problem, refuseVersionMismatch } from '@orderly/kit/http';
import type { Trace } from '@orderly/kit/messages';
import { AppProblem } from '../problems.js';
import { requireAccount } from './account-store.js';
import type { AccountStore } from './aggregates.js';
import type { AccountView } from './contract.js';
import { type Account, AccountRefused, type OperatorCommand, toView } from './domain/account.js';

export interface AccountChange {
  readonly customerId: string;
  /** Returns the operator's command for the account as it is. */
  readonly command: (account: Loaded<Account>) => OperatorCommand | Promise<OperatorCommand>;
  /** Required version of the account; 0 is a customer without one. */
  readonly ifMatch: number | undefined;
  readonly trace: Trace;
}

/**
 * Sets something of a customer's account, and opens the account if there is none. Setting the current value again writes
 * nothing, even if `ifMatch` names an older version (RFC 9110, 13.1.1): the first attempt has succeeded, so a client
 * may repeat it.
 * @throws {Problem} as {@link throwAsProblem}; 409 `conflict` if the version is another
 * @throws {WriteConflict} concurrent writers kept changing it
 */
export function changeAccount(
  accountStore: AccountStore,
  { customerId, command, ifMatch, trace }: AccountChange,
): Promise<AccountView> {
  return retryOnConflict(async () => {
    const account = await accountStore.load(customerId);
    const events = accountStore.decider.decide(account.state, await command(account), { now: clock.now() });
    if (events.length === 0) return requireAccount(account);
    const version = toView(customerId, account.state, account.version)?.version ?? 0;
    refuseVersionMismatch(ifMatch, version);
    const commit = accountStore.buildCommit(account, events, trace);
    try {
      await accountStore.append(commit);
    } catch (error) {
      // The answer was lost, and the SDK's retry met this request's own commit.
      const isOwn = error instanceof VersionTaken && error.existing.trigger === trace.trigger;
      if (!isOwn) throw error;
    }
    return requireAccount(accountStore.applyCommit(account, commit));
  }).catch(throwAsProblem);
}

/** @throws {Problem} 400 for another currency than the one in use, 409 for a closed account; otherwise the error itself */
export function throwAsProblem(error: unknown): never {
  if (!(error instanceof AccountRefused)) throw error;
  if (error.code === 'CLOSED') {
    throw new Problem(
      AppProblem['account-closed'],
      'the account is closed and takes no other credit limit and no bonus: open it again (PUT /accounts/{customerId}/status)',
      {},
      { cause: error },
    );
  }
  const errors = [{ pointer: '/creditLimit/currency', detail: "expected the account's currency: it is in use" }];
  throw new Problem(
    'invalid-request',
    'the currency of an account with open amounts cannot change',
    { errors },
    { cause: error },
  );
}
