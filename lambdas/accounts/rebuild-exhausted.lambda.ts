import { rebuilder } from '../../packages/kit/projection/rebuilder.js';
import { exhaustedList } from './exhausted-list.js';

/**
 * Rebuilds the list of used-up credit beside the one in use; an operator's command calls it until the rebuild is
 * complete.
 */
export const handler = rebuilder(exhaustedList);
