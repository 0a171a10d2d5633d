import { logger } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { traceOf, versionOf } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { refusalOfCodes } from '../standard-codes.js';
import { customerIdOf } from './account-store.js';
import { accounts } from './aggregates.js';
import { changeAccount } from './change-account.js';
import { setCreditLimit } from './routes.js';

const accountStore = eventStoreOfFunction(accounts);

/**
 * PUT /accounts/{customerId}/credit-limit: sets a customer's credit limit. It is naturally idempotent and needs no key.
 */
export const handler = endpoint(setCreditLimit, async (request) => {
  const { body, header, parameter } = request;
  const customerId = customerIdOf(parameter('customerId'));
  const account = await changeAccount(accountStore, {
    customerId,
    command: ({ state }) => {
      refusalOfCodes(body, state)?.();
      return { type: 'SetCreditLimit', customerId, creditLimit: body.creditLimit };
    },
    ifMatch: versionOf(header('if-match')),
    trace: traceOf(request),
  });
  logger.info('credit limit set', { version: account.version });
  return { status: 200, body: account };
});
