import { pointerFault, refuseVersionMismatch, validate } from '@orderly/kit/http';
import { changeStateOnce, type RequestRecord } from '@orderly/kit/idempotent-receiver';
import type { Trace } from '@orderly/kit/messages';
import { findCodeRefusal } from '../standard-codes.js';
import { type ForgottenView, Profile, type ProfilePatch, type UserView } from './contract.js';
import { isSameJson, type Json, mergePatch } from './domain/merge-patch.js';
import { userDecider } from './domain/user.js';
import { evolveStored, type UserStore } from './stored-user.js';
import {
  type ProfileReader,
  type ProfileWriter,
  prepareProfile,
  readProfile,
  refuseForgotten,
  toOwnView,
} from './user-view.js';

export interface PatchProfile {
  readonly userId: string;
  readonly patch: ProfilePatch;
  /** Version that the client has read. */
  readonly ifMatch: number | undefined;
  readonly record: RequestRecord;
  readonly trace: Trace;
  /** Time of the request (ISO 8601, UTC). */
  readonly now: string;
}

/**
 * Patches a user's profile, once for each request. A patch that changes nothing writes nothing but the request's record.
 *
 * The hash of the request contains no text of the profile. So a repeat is compared with the stored answer instead: the
 * same patch, applied to its own result, changes nothing.
 * @throws {Problem} 400 if the profile after the patch is not complete, 409 if the version is another or the user is
 *   forgotten, 422 if the key or number came with another patch
 */
export async function patchProfile(
  store: UserStore,
  personalKeys: ProfileReader & ProfileWriter,
  { userId, patch, ifMatch, record, trace, now }: PatchProfile,
): Promise<{ readonly view: UserView | ForgottenView; readonly replayed: boolean }> {
  const { state, replayed } = await changeStateOnce({
    store,
    id: userId,
    record,
    trace,
    evolve: evolveStored,
    decide: async (user) => {
      const before = await readProfile(personalKeys, userId, user);
      if (before === 'forgotten') refuseForgotten();
      refuseVersionMismatch(ifMatch, user?.version ?? 0);
      const after = validate(Profile, mergeProfile(before, patch), pointerFault);
      findCodeRefusal(after, before)?.();
      if (isSameJson(before as Json, after as Json)) return [];
      const profile = await prepareProfile(personalKeys, userId, after);
      return userDecider.decide(user ?? userDecider.initialState, { type: 'SetProfile', userId, profile }, { now });
    },
  });
  const profile = await readProfile(personalKeys, userId, state);
  if (replayed && profile !== 'forgotten' && !isSameJson(profile as Json, mergeProfile(profile, patch)))
    record.refuseReused();
  return { view: toOwnView(userId, state, profile), replayed };
}

const mergeProfile = (profile: Profile, patch: ProfilePatch): Json => mergePatch(profile as Json, patch as Json);
