import type { AccountCommand, AccountView } from '../../lambdas/accounts/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { causedBy, newOrderId, toAccounts } from './messages.js';
import type { ApiAnswer, Caller } from './world.js';

/** Preconditions and waits of scenarios about accounts. */

export const eur = (amount: number) => ({ amount, currency: 'EUR' });

export const putLimit = (customerId: string, creditLimit: object, headers: Record<string, string> = {}) =>
  world.call<AccountView>({
    method: 'PUT',
    path: `/accounts/${customerId}/credit-limit`,
    as: 'operator',
    body: { creditLimit },
    headers,
  });

export const getAccount = (customerId: string, as: Caller = 'operator'): Promise<ApiAnswer<AccountView>> =>
  world.call({ method: 'GET', path: `/accounts/${customerId}`, as });

/** Creates a customer of the scenario's own with this credit limit. */
export async function customerWith(limit: number): Promise<string> {
  const customerId = world.fresh('customer');
  await world.client('operator').setCreditLimit({ customerId, body: { creditLimit: eur(limit) } });
  return customerId;
}

/** Returns the steps of one order's saga. */
export function sagaOf(customerId: string, orderId = newOrderId()) {
  const step = (name: string) => ({ customerId, orderId, stepId: `${orderId}/${name}` });
  return {
    orderId,
    authorize: (amount: number): AccountCommand => ({
      type: 'AuthorizeAccount',
      data: { ...step('authorize'), amount: eur(amount) },
    }),
    capture: { type: 'CaptureAuthorization', data: step('capture') } as AccountCommand,
    release: { type: 'ReleaseAuthorization', data: step('release') } as AccountCommand,
    refund: (refundId: string, amount: number): AccountCommand => ({
      type: 'RefundAccount',
      data: { ...step(`refund ${refundId}`), refundId, amount: eur(amount) },
    }),
  };
}

/** Sends a command and waits for its answer: the events of the commit that it caused. */
export async function answered(command: AccountCommand): Promise<readonly Envelope[]> {
  const message = toAccounts(command);
  await world.publish(message);
  return answerTo(message);
}

export const answerTo = (message: Envelope): Promise<readonly Envelope[]> =>
  causedBy(message, 'Account', (message.data as AccountCommand['data']).customerId);
