import { commandsTo, subscribe, subscribeToAll } from '../../packages/kit/messages/subscriptions.js';
import { ordersContract } from '../orders/contract.js';
import { accountsContract } from './contract.js';

/** Steps of orders' sagas. Nobody else's commands are carried out. */
export const steps = commandsTo(accountsContract, { from: [ordersContract] });

/** How orders end. */
export const orderEnds = subscribe(ordersContract, ['OrderApproved', 'OrderCancelled']);

/** What the list of customers without credit shows. */
export const listEvents = subscribeToAll(accountsContract);
