import { retryOnConflict } from '@orderly/kit/aws';
import { refuseVersionMismatch } from '@orderly/kit/http';
import type { Trace } from '@orderly/kit/messages';
import type { SetStatus } from './contract.js';
import { userDecider } from './domain/user.js';
import { evolveStored, type StoredUser, type UserStore } from './stored-user.js';
import type { ProfileWriter } from './user-view.js';

export interface StatusChange extends SetStatus {
  readonly userId: string;
  /** Version that the operator has read. */
  readonly ifMatch: number | undefined;
  readonly trace: Trace;
  /** Time of the request (ISO 8601, UTC). */
  readonly now: string;
}

/**
 * Sets a user's status. Setting the current one again writes nothing, so an operator may repeat it. The reason is sealed
 * with the user's key; the status of a forgotten user changes without a reason.
 * @throws {Problem} 409 if the version is another
 * @throws {WriteConflict} concurrent writers kept changing the user
 */
export function setStatus(
  store: UserStore,
  personalKeys: ProfileWriter,
  { userId, status, reason, ifMatch, trace, now }: StatusChange,
): Promise<StoredUser | undefined> {
  return retryOnConflict(async () => {
    const user = await store.read(userId);
    const isSet = (user ?? userDecider.initialState).status === status;
    refuseVersionMismatch(ifMatch, user?.version ?? 0, isSet ? user?.from : undefined);
    if (isSet) return user;
    const sealedReason = reason === undefined ? undefined : await personalKeys.createUnsealed(userId, reason);
    const command = { type: 'SetStatus', userId, status, ...(sealedReason ? { sealedReason } : {}) } as const;
    const events = userDecider.decide(user ?? userDecider.initialState, command, { now });
    const { writes, after } = store.buildChange(userId, user, events, evolveStored, trace);
    await store.table.transact(writes);
    return after;
  });
}
