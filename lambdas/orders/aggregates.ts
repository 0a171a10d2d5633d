import { ordersContract } from './contract.js';
import { orderDecider } from './domain/order.js';
import { ORDER } from './keys.js';

export const orders = { aggregate: ORDER, contract: ordersContract, decider: orderDecider };
