import { commandsTo, subscribe } from '../../packages/kit/messages/subscriptions.js';
import { ordersContract } from '../orders/contract.js';
import { paymentsContract } from './contract.js';

/** Steps of orders' sagas. Nobody else's commands are carried out. */
export const steps = commandsTo(paymentsContract, { from: [ordersContract] });

/** What ends orders that were paid. */
export const cancellations = subscribe(ordersContract, ['OrderCancelled']);

/** What the provider is asked to do. */
export const providerTasks = subscribe(paymentsContract, [
  'PaymentRequested',
  'PaymentPrepared',
  'VoidRequested',
  'RefundRequested',
]);
