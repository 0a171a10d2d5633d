import { commandsTo } from '../../packages/kit/messages/subscriptions.js';
import { ordersContract } from '../orders/contract.js';
import { catalogContract } from './contract.js';

/** Steps of orders' sagas. Nobody else's commands are carried out. */
export const steps = commandsTo(catalogContract, { from: [ordersContract] });
