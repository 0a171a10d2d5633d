import { sleepWithJitter } from './clock.js';
import { WriteConflict } from './write-conflict.js';

/** Attempts for one request or delivery. The pauses between them add up to at most 0.6 s. */
const MAX_ATTEMPTS = 5;
const BACKOFF_MS = 20;

/**
 * Retries `work` on a write conflict, with full jitter, so that rivals don't collide again.
 * @param work reads and decides again in each attempt
 * @example
 * await retryOnConflict(async () => {
 *   const loaded = await tickets.load(ticketId);
 *   await transact([tickets.appendWrite(tickets.buildCommit(loaded, close(loaded.state), trace))]);
 * });
 * @throws {WriteConflict} if the fifth attempt conflicts too
 * @throws any other error of `work`, at once
 */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict) || attempt === MAX_ATTEMPTS) throw error;
      await sleepWithJitter(BACKOFF_MS * 2 ** attempt);
    }
  }
}
