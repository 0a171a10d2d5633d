/** Attempts of consumers at messages: their names, their counts and their words. It reads nothing, so a page can load it. */
export { type AttemptLine, type AttemptWord, isAttemptWord, WORDS } from './attempt-lines.js';
export {
  type Attempt,
  type AttemptCounts,
  type AttemptOutcome,
  countAttempts,
  describeAttempts,
  findAttempts,
  settleStored,
} from './attempts.js';
