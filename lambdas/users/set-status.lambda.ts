import { clock, logger } from '@orderly/kit/aws';
import { CallerId, parseIfMatch, toTrace } from '@orderly/kit/http';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { setStatus } from './routes.js';
import { setStatus as judge } from './set-status.js';
import type { UserStore } from './stored-user.js';
import { readProfile, toView } from './user-view.js';

const userStore: UserStore = stateStoreFromEnvironment(users);
const personalKeys = personalKeysFromEnvironment();

/** PUT /users/{userId}/status: sets a user's status. It is naturally idempotent and needs no key. */
export const handler = endpoint(setStatus, async (request) => {
  const { body, header, parameter } = request;
  const userId = parameter('userId', CallerId);
  const keys = personalKeys.forRequest();
  const user = await judge(userStore, keys, {
    ...body,
    userId,
    ifMatch: parseIfMatch(header('if-match')),
    trace: toTrace(request),
    now: clock.now(),
  });
  logger.info('user status set', { status: body.status, version: user?.version ?? 0 });
  return { status: 200, body: toView(userId, user, await readProfile(keys, userId, user)) };
});
