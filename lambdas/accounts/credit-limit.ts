import { clock, retryOnConflict } from '@orderly/kit/aws';
import { VersionTaken } from '@orderly/kit/event-store';
import { Problem, refuseOtherVersion } from '@orderly/kit/http';
import type { Trace } from '@orderly/kit/messages';
import type { Money } from '../orders/contract.js';
import { existing } from './account-store.js';
import type { AccountStore } from './aggregates.js';
import type { AccountEvent, AccountView } from './contract.js';
import { AccountRefused, viewOf } from './domain/account.js';

/**
 * Sets a customer's credit limit, and opens the account if there is none. Setting the current limit again writes
 * nothing, even if `ifMatch` names an older version (RFC 9110, 13.1.1): the first attempt has succeeded, so a client
 * may repeat it.
 * @param ifMatch required version of the account; 0 is a customer without one
 * @throws {Problem} 400 for another currency than the one in use, 409 `conflict` if the version is another
 * @throws {WriteConflict} concurrent writers kept changing it
 */
export function setLimit(
  accountStore: AccountStore,
  customerId: string,
  creditLimit: Money,
  ifMatch: number | undefined,
  trace: Trace,
): Promise<AccountView> {
  return retryOnConflict(async () => {
    const account = await accountStore.load(customerId);
    const events = decided(() =>
      accountStore.decider.decide(
        account.state,
        { type: 'SetCreditLimit', customerId, creditLimit },
        { now: clock.now() },
      ),
    );
    if (events.length === 0) return existing(account);
    const version = viewOf(customerId, account.state, account.version)?.version ?? 0;
    refuseOtherVersion(ifMatch, version);
    const commit = accountStore.commit(account, events, trace);
    try {
      await accountStore.append(commit);
    } catch (error) {
      // The answer was lost, and the SDK's retry met this request's own commit.
      const isOwn = error instanceof VersionTaken && error.existing.trigger === trace.trigger;
      if (!isOwn) throw error;
    }
    return existing(accountStore.after(account, commit));
  });
}

function decided(decide: () => readonly AccountEvent[]): readonly AccountEvent[] {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof AccountRefused)) throw error;
    const errors = [{ pointer: '/creditLimit/currency', detail: "expected the account's currency: it is in use" }];
    throw new Problem('invalid-request', 'an account cannot change its currency', { errors }, { cause: error });
  }
}
