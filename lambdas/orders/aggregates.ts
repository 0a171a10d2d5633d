import type { StoreOf } from '@orderly/kit/event-store';
import { ordersContract } from './contract.js';
import { orderDecider } from './domain/order.js';
import { ORDER } from './keys.js';

export const orders = { aggregate: ORDER, contract: ordersContract, decider: orderDecider };
export type OrderStore = StoreOf<typeof orders>;
