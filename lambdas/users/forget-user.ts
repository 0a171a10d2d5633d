import { changeStateOnce, type RequestRecord } from '@orderly/kit/idempotent-receiver';
import type { Trace } from '@orderly/kit/messages';
import type { erasureFromEnvironment } from '@orderly/kit/personal-data';
import { userDecider } from './domain/user.js';
import { evolveStored, type UserStore } from './stored-user.js';

export interface ForgetUser {
  readonly userId: string;
  readonly record: RequestRecord;
  readonly trace: Trace;
  /** Time of the request (ISO 8601, UTC). */
  readonly now: string;
}

/**
 * Forgets a user: one transaction deletes the data key and empties the profile, so no crash leaves one without the
 * other. The event tells other services, which delete what is not sealed.
 *
 * The key is deleted again if the user was forgotten before. So a request after a restore of the keys forgets too.
 */
export async function forgetUser(
  store: UserStore,
  erasure: ReturnType<typeof erasureFromEnvironment>,
  { userId, record, trace, now }: ForgetUser,
): Promise<{ readonly replayed: boolean }> {
  return changeStateOnce({
    store,
    id: userId,
    record,
    trace,
    evolve: evolveStored,
    decide: async (user) => userDecider.decide(user ?? userDecider.initialState, { type: 'Forget', userId }, { now }),
    alongside: [erasure(userId, 'customer')],
  });
}
