import { commandsTo } from '@orderly/kit/messages';
import { ordersContract } from '../orders/contract.js';
import { catalogContract } from './contract.js';

/** Steps of orders' sagas. No other service's commands are accepted. */
export const stepCommands = commandsTo(catalogContract, { from: [ordersContract] });
