import { commandsTo, subscribe } from '../../packages/kit/messages/subscriptions.js';
import { ordersContract } from '../orders/contract.js';
import { inventoryContract } from './contract.js';

/** Steps of orders' sagas. Nobody else's commands are carried out. */
export const steps = commandsTo(inventoryContract, { from: [ordersContract] });

/** What gives stock back. */
export const cancellations = subscribe(ordersContract, ['OrderCancelled']);
