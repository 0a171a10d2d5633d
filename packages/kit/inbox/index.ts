/** Messages that are stored and acknowledged first, and processed afterwards. */
export {
  type BatchHandlers,
  type ClosedWindow,
  type CollectedMessage,
  type CollectedSource,
  collect,
  type Page,
} from './batch-listening.js';
export { type BatchInboxOptions, batchInbox, inbox } from './inbox.js';
export { type Finished, type InboxSource, on, unfinished, type WorkHandle } from './listening.js';
export { LeaseLost } from './stored-messages.js';
export { daysIn, type Windows } from './windows.js';
export type { Work } from './work.js';
