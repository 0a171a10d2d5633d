/** Messages that are stored and acknowledged first, and processed afterwards. */
export {
  type BatchHandlers,
  type ClosedWindow,
  type CollectedMessage,
  type CollectedSource,
  collect,
  type Page,
} from './batch-source.js';
export { LeaseLost } from './claimed-message.js';
export { type BatchInboxOptions, batchInbox, inbox } from './inbox.js';
export {
  type InboxSource,
  on,
  type RestoreFacts,
  unfinished,
  type WorkHandle,
  type WorkMessage,
  type WorkResult,
} from './inbox-source.js';
export type { ForgottenPositions } from './sequence-keys.js';
export { dailyWindows, type Windows } from './windows.js';
export type { Work } from './work.js';
