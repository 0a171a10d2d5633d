import { logger } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { parseIfMatch, toTrace } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { findCodeRefusal } from '../standard-codes.js';
import { parseCustomerId } from './account-store.js';
import { decidingAccounts } from './aggregates.js';
import { changeAccount } from './change-account.js';
import { setCreditLimit } from './routes.js';

const accountStore = eventStoreFromEnvironment(decidingAccounts());

/**
 * PUT /accounts/{customerId}/credit-limit: sets a customer's credit limit. It is naturally idempotent and needs no key.
 */
export const handler = endpoint(setCreditLimit, async (request) => {
  const { body, header, parameter } = request;
  const customerId = parseCustomerId(parameter('customerId'));
  const account = await changeAccount(accountStore, {
    customerId,
    command: ({ state }) => {
      findCodeRefusal(body, state)?.();
      return { type: 'SetCreditLimit', customerId, creditLimit: body.creditLimit };
    },
    ifMatch: parseIfMatch(header('if-match')),
    trace: toTrace(request),
  });
  logger.info('credit limit set', { version: account.version });
  return { status: 200, body: account };
});
