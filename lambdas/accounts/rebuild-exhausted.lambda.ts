import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { rebuilder } from '@orderly/kit/projection';
import { accounts } from './aggregates.js';
import { createExhaustedList } from './exhausted-list.js';

/**
 * Rebuilds the list of used-up credit beside the one in use; an operator's command calls it until the rebuild is
 * complete.
 */
export const handler = rebuilder(createExhaustedList(eventStoreFromEnvironment(accounts)));
