import { count, logger, Metric } from '@orderly/kit/aws';
import { eventStoreOfFunction, type Loaded } from '@orderly/kit/event-store';
import { keyedBy, traceOf } from '@orderly/kit/http';
import { changeOnce, idempotencyKey, keyRecord, keyRecords, PersonalRequest } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { customerIdOf, existing } from './account-store.js';
import { accounts } from './aggregates.js';
import { reasonOf, sealedReason } from './bonus-reason.js';
import { refusedAs } from './change-account.js';
import { accountsContract } from './contract.js';
import { defaultCreditLimitOfFunction } from './default-credit-limit.js';
import type { Account } from './domain/account.js';
import { applyBonus } from './routes.js';

const accountStore = eventStoreOfFunction(accounts);
const people = personalKeysOfFunction();
const records = keyRecords();
const personal = new PersonalRequest(people, accountsContract.events.BonusApplied);
const defaultCreditLimit = defaultCreditLimitOfFunction();

/**
 * POST /accounts/{customerId}/bonus: gives a customer points. The event and the record of the request commit in one
 * transaction.
 */
export const handler = endpoint(applyBonus, async (request) => {
  const { body, parameter } = request;
  const customerId = customerIdOf(parameter('customerId'));
  const { loaded, replayed } = await changeOnce({
    store: accountStore,
    record: keyRecord(idempotencyKey(personal.hashed(keyedBy(request))), records),
    id: customerId,
    trace: traceOf(request),
    // An operator may see every account, and a bonus opens one that does not exist.
    admit: () => {},
    command: async () => ({
      type: 'ApplyBonus',
      customerId,
      points: body.points,
      reason: await sealedReason(personal, customerId, body),
      defaultCreditLimit,
    }),
  }).catch(refusedAs);
  if (replayed) {
    personal.checkSame(body, await reasonOf(accountStore, people, loaded));
    count(Metric.DUPLICATES_SUPPRESSED);
  }
  logger.info(replayed ? 'bonus applied before' : 'bonus applied', { version: loaded.version });
  const replay = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 201, body: existing(loaded), headers: { Location: locationOf(loaded), ...replay } };
});

const locationOf = ({ id }: Loaded<Account>): string => `accounts/${encodeURIComponent(id)}`;
