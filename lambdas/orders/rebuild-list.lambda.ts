import { rebuilder } from '../../packages/kit/projection/rebuilder.js';
import { ordersList } from './order-list.js';

/** Rebuilds customers' lists beside the ones in use; an operator's command calls it until the rebuild is complete. */
export const handler = rebuilder(ordersList);
