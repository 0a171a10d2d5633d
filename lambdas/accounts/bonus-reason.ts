import type { Loaded } from '@orderly/kit/event-store';
import { Problem } from '@orderly/kit/http';
import type { PersonalRequest } from '@orderly/kit/idempotent-receiver';
import { aggregateKey } from '@orderly/kit/messages';
import { openEvents, type PersonalKeys, type Unsealed } from '@orderly/kit/personal-data';
import type { AccountStore } from './aggregates.js';
import { accountsContract } from './contract.js';
import type { Account } from './domain/account.js';
import { ACCOUNT } from './keys.js';

/** Requests of the route that applies a bonus. */
type BonusRequest = PersonalRequest<typeof accountsContract.events.BonusApplied>;

/**
 * Prepares the reason of a bonus: it is sealed with the customer's key, since an operator may write about the customer.
 * @throws {Problem} 409 for a forgotten customer, about whom nothing can be stored any more
 */
export async function sealReason(
  personal: BonusRequest,
  customerId: string,
  body: { readonly reason: string },
): Promise<Unsealed> {
  const { reason } = (await personal.prepared(customerId, body)).fields;
  if (reason) return reason;
  throw new Problem('person-forgotten', 'the personal data of this customer was erased, so no bonus can be applied');
}

/**
 * Returns the reason in the newest event of an account, or marks it as forgotten. It is no part of the account's state,
 * because nothing is decided by it.
 */
export async function readBonusReason(
  accountStore: AccountStore,
  personalKeys: PersonalKeys,
  { id, version, commits }: Loaded<Account>,
): Promise<object> {
  const { length = 1 } = commits.at(-1)?.events ?? [];
  const from = { commit: version - length + 1, shown: version - 1 };
  const { items } = await accountStore.history(id, from, 1);
  const [bonus] = await openEvents(personalKeys, accountsContract, aggregateKey(ACCOUNT, id), items);
  return (bonus?.data ?? {}) as object;
}
