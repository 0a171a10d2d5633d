import { rebuilder } from '../../packages/kit/projection/rebuilder.js';
import { exhaustedList } from './exhausted-list.js';

/** The view of used-up credit anew, beside the one that is read; an operator's command calls it until it is through. */
export const handler = rebuilder(exhaustedList);
