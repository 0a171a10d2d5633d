/** Messages that are stored and acknowledged first, and processed afterwards. */
export { inbox } from './inbox.js';
export { type Finished, type InboxSource, on, unfinished, type WorkHandle } from './listening.js';
export { LeaseLost } from './stored-messages.js';
export type { Work } from './work.js';
