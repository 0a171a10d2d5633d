import { WriteConflict } from '../http/errors.js';
import { pauseUpTo } from './clock.js';

/** Of one request or delivery, with at most 0.6 s of pauses between them. */
const TRIES = 5;
const BACKOFF_MS = 20;

/**
 * Works, and works again where somebody else was first: after a pause with full jitter, so that rivals don't meet again.
 * @param work reads and decides anew each time
 * @throws {WriteConflict} the fifth race is lost too; what `work` throws otherwise, at once
 */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict) || attempt === TRIES) throw error;
      await pauseUpTo(BACKOFF_MS * 2 ** attempt);
    }
  }
}
