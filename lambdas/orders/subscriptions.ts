import { commandsTo, ownCommands, subscribe, subscribeToAll } from '@orderly/kit/messages';
import { accountsContract } from '../accounts/contract.js';
import { basketsContract } from '../baskets/contract.js';
import { catalogContract } from '../catalog/contract.js';
import { inventoryContract } from '../inventory/contract.js';
import { paymentsContract } from '../payments/contract.js';
import { usersContract } from '../users/contract.js';
import { ordersContract } from './contract.js';
import { createOrderContract } from './saga-contract.js';

/** Events that start, cancel and release an order's saga. */
export const orderEvents = subscribe(ordersContract, ['OrderPlaced', 'OrderCancelled', 'OrderReviewEnded']);

/**
 * Answers to the saga's steps, by participant. `SagaReplyRequested` repeats the answer to a step that was answered
 * before.
 */
export const sagaReplies = {
  catalog: subscribe(catalogContract, ['PricesConfirmed', 'PricesRefused', 'SagaReplyRequested']),
  accounts: subscribe(accountsContract, [
    'AccountAuthorized',
    'AuthorizationDeclined',
    'AuthorizationReleased',
    'AuthorizationVoided',
    'SagaReplyRequested',
  ]),
  inventory: subscribe(inventoryContract, [
    'StockReserved',
    'StockRejected',
    'StockReleased',
    'ReservationVoided',
    'SagaReplyRequested',
  ]),
  payments: subscribe(paymentsContract, ['SagaReplyRequested']),
};

/** Changes of users' statuses, after which orders are reviewed or released. */
export const statusChanges = subscribe(usersContract, ['UserStatusChanged']);

/** Events with what this service copies of users: the status, and the address of the profile. */
export const userChanges = subscribe(usersContract, ['UserStatusChanged', 'UserProfileChanged', 'UserForgotten']);

/** Changes of what payments know of users as payers, for reviews. */
export const payerChanges = subscribe(paymentsContract, ['PayerChanged']);

/** Orders from baskets that were checked out. No other service's commands are accepted. */
export const checkoutCommands = commandsTo(ordersContract, { from: [basketsContract] });

/** Timeouts of the saga, and commands from operators. */
export const sagaCommands = ownCommands(createOrderContract);

/** Events that the list of orders shows. */
export const listEvents = subscribeToAll(ordersContract);
