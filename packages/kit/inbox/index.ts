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
export {
  type Finished,
  type InboxSource,
  on,
  type Told,
  unfinished,
  type WorkHandle,
  type WorkMessage,
} from './listening.js';
export type { ForgottenPlaces } from './sequence-keys.js';
export { LeaseLost } from './stored-messages.js';
export { daysIn, type Windows } from './windows.js';
export type { Work } from './work.js';
