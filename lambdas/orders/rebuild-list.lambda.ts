import { rebuilder } from '../../packages/kit/projection/rebuilder.js';
import { ordersList } from './order-list.js';

/** Customers' lists anew, beside those that are read; an operator's command calls it until it is through. */
export const handler = rebuilder(ordersList);
