import { commandsTo, subscribe } from '@orderly/kit/messages';
import { accountsContract } from '../accounts/contract.js';
import { ordersContract } from '../orders/contract.js';
import { usersContract } from '../users/contract.js';
import { paymentsContract } from './contract.js';

/** Steps of orders' sagas. No other service's commands are accepted. */
export const stepCommands = commandsTo(paymentsContract, { from: [ordersContract] });

/** Events that end paid orders: the money is given back, or may be from then on. */
export const orderEnds = subscribe(ordersContract, ['OrderCancelled', 'OrderDispatched']);

/** Events after which data about a user is deleted. */
export const userErasures = subscribe(usersContract, ['UserForgotten']);

/** Events after which an account takes no payment, or takes payments again. */
export const accountStatuses = subscribe(accountsContract, ['AccountClosed', 'AccountReopened']);

/** Events that require a call to the provider, and the refunds that it refused for good. */
export const providerTasks = subscribe(paymentsContract, [
  'PaymentRequested',
  'PaymentPrepared',
  'VoidRequested',
  'RefundRequested',
  'RefundFailed',
]);
