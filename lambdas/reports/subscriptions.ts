import { subscribe } from '@orderly/kit/messages';
import { ordersContract } from '../orders/contract.js';
import { paymentsContract } from '../payments/contract.js';

/** Orders that were placed, and the ends that they came to. */
export const orderEvents = subscribe(ordersContract, [
  'OrderPlaced',
  'OrderApproved',
  'OrderRejected',
  'OrderCancelled',
]);

/** Money that moved. */
export const moneyEvents = subscribe(paymentsContract, ['PaymentCharged', 'PaymentRefunded']);
