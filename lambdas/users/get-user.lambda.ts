import { CallerId } from '@orderly/kit/http';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { getUser } from './routes.js';
import type { UserStore } from './stored-user.js';
import { profileOf, viewOf } from './user-view.js';

const userStore: UserStore = stateStoreOfFunction(users);
const people = personalKeysOfFunction();

/** GET /users/{userId}: any user, strongly consistent. No user is unknown: one who never wrote anything is ACTIVE. */
export const handler = endpoint(getUser, async ({ parameter }) => {
  const userId = parameter('userId', CallerId);
  const user = await userStore.read(userId);
  return { status: 200, body: viewOf(userId, user, await profileOf(people, userId, user)) };
});
