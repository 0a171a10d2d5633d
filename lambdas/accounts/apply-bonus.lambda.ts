import { count, logOutcome, Metric } from '@orderly/kit/aws';
import { eventStoreFromEnvironment, type Loaded } from '@orderly/kit/event-store';
import { toKeyedRequest, toTrace } from '@orderly/kit/http';
import {
  changeOnce,
  createKeyRecord,
  keyRecordsFromEnvironment,
  PersonalRequest,
  parseIdempotencyKey,
} from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { parseCustomerId, requireAccount } from './account-store.js';
import { decidingAccounts } from './aggregates.js';
import { readBonusReason, sealReason } from './bonus-reason.js';
import { throwAsProblem } from './change-account.js';
import { accountsContract } from './contract.js';
import { defaultCreditLimitFromEnvironment } from './default-credit-limit.js';
import type { Account } from './domain/account.js';
import { applyBonus } from './routes.js';

const accountStore = eventStoreFromEnvironment(decidingAccounts());
const personalKeys = personalKeysFromEnvironment();
const records = keyRecordsFromEnvironment();
const personal = new PersonalRequest(personalKeys, accountsContract.events.BonusApplied);
const defaultCreditLimit = defaultCreditLimitFromEnvironment();

/**
 * POST /accounts/{customerId}/bonus: gives a customer points. The event and the record of the request commit in one
 * transaction.
 */
export const handler = endpoint(applyBonus, async (request) => {
  const { body, parameter } = request;
  const customerId = parseCustomerId(parameter('customerId'));
  const { loaded, replayed } = await changeOnce({
    store: accountStore,
    record: createKeyRecord(parseIdempotencyKey(personal.toHashable(toKeyedRequest(request))), records),
    id: customerId,
    trace: toTrace(request),
    // An operator may see every account, and a bonus opens one that does not exist.
    admit: () => {},
    command: async () => ({
      type: 'ApplyBonus',
      customerId,
      points: body.points,
      reason: await sealReason(personal, customerId, body),
      defaultCreditLimit,
    }),
  }).catch(throwAsProblem);
  if (replayed) {
    personal.checkSame(body, await readBonusReason(accountStore, personalKeys, loaded));
    count(Metric.DUPLICATES_SUPPRESSED);
  }
  logOutcome(replayed ? 'bonus applied before' : 'bonus applied', { version: loaded.version });
  const replay = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 201, body: requireAccount(loaded), headers: { Location: locationOf(loaded), ...replay } };
});

const locationOf = ({ id }: Loaded<Account>): string => `accounts/${encodeURIComponent(id)}`;
