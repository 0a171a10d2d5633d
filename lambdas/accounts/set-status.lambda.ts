import { logger } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { parseIfMatch, toTrace } from '@orderly/kit/http';
import { PersonalRequest } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { parseCustomerId } from './account-store.js';
import { decidingAccounts } from './aggregates.js';
import { changeAccount } from './change-account.js';
import { accountsContract } from './contract.js';
import { defaultCreditLimitFromEnvironment } from './default-credit-limit.js';
import { setAccountStatus } from './routes.js';

const accountStore = eventStoreFromEnvironment(decidingAccounts());
/** A reopening has the same personal fields. */
const personal = new PersonalRequest(personalKeysFromEnvironment(), accountsContract.events.AccountClosed);
const defaultCreditLimit = defaultCreditLimitFromEnvironment();

/**
 * PUT /accounts/{customerId}/status: closes or reopens an account. It is naturally idempotent and needs no key. The reason is
 * sealed with the customer's key; the status of a forgotten customer's account changes without a reason.
 */
export const handler = endpoint(setAccountStatus, async (request) => {
  const { body, header, parameter } = request;
  const customerId = parseCustomerId(parameter('customerId'));
  const account = await changeAccount(accountStore, {
    customerId,
    command: async ({ state }) => ({
      type: 'SetStatus',
      customerId,
      status: body.status,
      ...(state.status === body.status ? {} : (await personal.prepared(customerId, body)).fields),
      defaultCreditLimit,
    }),
    ifMatch: parseIfMatch(header('if-match')),
    trace: toTrace(request),
  });
  logger.info('account status set', { status: account.status, version: account.version });
  return { status: 200, body: account };
});
