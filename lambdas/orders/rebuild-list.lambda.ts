import { rebuilder } from '@orderly/kit/projection';
import { ordersList } from './order-list.js';

/** Rebuilds customers' lists beside the ones in use; an operator's command calls it until the rebuild is complete. */
export const handler = rebuilder(ordersList);
