import { logger } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { traceOf, versionOf } from '@orderly/kit/http';
import { PersonalRequest } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { customerIdOf } from './account-store.js';
import { accounts } from './aggregates.js';
import { changeAccount } from './change-account.js';
import { accountsContract } from './contract.js';
import { defaultCreditLimitOfFunction } from './default-credit-limit.js';
import { setAccountStatus } from './routes.js';

const accountStore = eventStoreOfFunction(accounts);
/** A reopening has the same personal fields. */
const personal = new PersonalRequest(personalKeysOfFunction(), accountsContract.events.AccountClosed);
const defaultCreditLimit = defaultCreditLimitOfFunction();

/**
 * PUT /accounts/{customerId}/status: closes or reopens an account. It is naturally idempotent and needs no key. The reason is
 * sealed with the customer's key; the status of a forgotten customer's account changes without a reason.
 */
export const handler = endpoint(setAccountStatus, async (request) => {
  const { body, header, parameter } = request;
  const customerId = customerIdOf(parameter('customerId'));
  const account = await changeAccount(accountStore, {
    customerId,
    command: async ({ state }) => ({
      type: 'SetStatus',
      customerId,
      status: body.status,
      ...(state.status === body.status ? {} : (await personal.prepared(customerId, body)).fields),
      defaultCreditLimit,
    }),
    ifMatch: versionOf(header('if-match')),
    trace: traceOf(request),
  });
  logger.info('account status set', { status: account.status, version: account.version });
  return { status: 200, body: account };
});
