import { Problem } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import { openFields, type PersonalKeys } from '@orderly/kit/personal-data';
import { type ForgottenView, type Profile, type UserView, usersContract } from './contract.js';
import { initialState, type SealedProfile, selectSealedFields } from './domain/user.js';
import { USER } from './keys.js';
import type { StoredUser } from './stored-user.js';

/** Data keys, for reading profiles. */
export type ProfileReader = Pick<PersonalKeys, 'openAll' | 'isForgotten'>;

/**
 * Opens a user's profile.
 * @returns `forgotten` if the user or an operator had the user forgotten
 * @throws what {@link PersonalKeys.openAll} throws
 */
export async function readProfile(
  personalKeys: ProfileReader,
  userId: string,
  user: StoredUser | undefined,
): Promise<Profile | 'forgotten'> {
  if (user?.forgotten) return 'forgotten';
  const sealed = user ? selectSealedFields(user) : {};
  if (Object.keys(sealed).length === 0) return (await personalKeys.isForgotten(userId)) ? 'forgotten' : {};
  const aggregate = aggregateKey(USER, userId);
  const [shown = {}] = await openFields(personalKeys, usersContract, userId, [{ aggregate, sealed: { ...sealed } }]);
  return Object.values(shown).some(isForgotten) ? 'forgotten' : (shown as Profile);
}

const isForgotten = (value: unknown): boolean => typeof value === 'object' && value !== null && 'forgotten' in value;

/** Returns the user as an operator sees them. */
export function toView(
  userId: string,
  user: StoredUser | undefined,
  profile: Profile | 'forgotten',
): UserView | ForgottenView {
  const { status } = user ?? initialState;
  const version = user?.version ?? 0;
  return profile === 'forgotten'
    ? { userId, status, forgotten: true, version }
    : { userId, status, ...profile, version };
}

/** Returns the user as they see themselves. Of a forgotten user nothing is left to see. */
export const toOwnView = (...shown: Parameters<typeof toView>): UserView | ForgottenView => {
  const view = toView(...shown);
  return 'forgotten' in view ? { forgotten: true } : view;
};

/** Data keys, for writing profiles. */
export type ProfileWriter = Pick<PersonalKeys, 'createUnsealed'>;

/**
 * Prepares a profile for its commit, which seals it. It creates a key for a user who has none.
 * @throws {Problem} 409 if the user is forgotten
 */
export async function prepareProfile(
  personalKeys: ProfileWriter,
  userId: string,
  profile: Profile,
): Promise<SealedProfile> {
  const fields: Record<string, Awaited<ReturnType<ProfileWriter['createUnsealed']>>> = {};
  // One after the other, so that the second one finds what the first one has seen.
  for (const [name, value] of Object.entries(profile)) {
    fields[name] = (await personalKeys.createUnsealed(userId, value)) ?? refuseForgotten();
  }
  return fields as SealedProfile;
}

/** @throws {Problem} 409, always: the user is forgotten */
export function refuseForgotten(): never {
  throw new Problem('person-forgotten', 'Your personal data was erased; no new personal data is accepted.');
}
