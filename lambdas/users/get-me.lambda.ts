import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { getMe } from './routes.js';
import type { UserStore } from './stored-user.js';
import { readProfile, toOwnView } from './user-view.js';

const userStore: UserStore = stateStoreFromEnvironment(users);
const personalKeys = personalKeysFromEnvironment();

/** GET /users/me: the caller, strongly consistent. A customer who never wrote anything is ACTIVE, at version 0. */
export const handler = endpoint(getMe, async ({ caller: { id } }) => {
  const user = await userStore.read(id);
  return { status: 200, body: toOwnView(id, user, await readProfile(personalKeys, id, user)) };
});
