import { CallerId } from '@orderly/kit/http';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { getUser } from './routes.js';
import type { UserStore } from './stored-user.js';
import { readProfile, toView } from './user-view.js';

const userStore: UserStore = stateStoreFromEnvironment(users);
const personalKeys = personalKeysFromEnvironment();

/** GET /users/{userId}: any user, strongly consistent. No user is unknown: one who never wrote anything is ACTIVE. */
export const handler = endpoint(getUser, async ({ parameter }) => {
  const userId = parameter('userId', CallerId);
  const user = await userStore.read(userId);
  return { status: 200, body: toView(userId, user, await readProfile(personalKeys, userId, user)) };
});
