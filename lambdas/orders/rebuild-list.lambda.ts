import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { rebuilder } from '@orderly/kit/projection';
import { orders } from './aggregates.js';
import { createOrdersList } from './order-list.js';

/** Rebuilds customers' lists beside the ones in use; an operator's command calls it until the rebuild is complete. */
export const handler = rebuilder(createOrdersList(eventStoreFromEnvironment(orders)));
