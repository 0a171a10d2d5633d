import { commandsTo, subscribe } from '@orderly/kit/messages';
import { ordersContract } from '../orders/contract.js';
import { inventoryContract } from './contract.js';

/** Steps of orders' sagas. No other service's commands are accepted. */
export const stepCommands = commandsTo(inventoryContract, { from: [ordersContract] });

/** Events after which stock is no longer reserved: it is available again, or has left. */
export const orderEnds = subscribe(ordersContract, ['OrderCancelled', 'OrderDispatched']);
