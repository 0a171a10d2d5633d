import { clock, logger } from '@orderly/kit/aws';
import { CallerId, traceOf, versionOf } from '@orderly/kit/http';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { setStatus } from './routes.js';
import { setStatus as judge } from './set-status.js';
import type { UserStore } from './stored-user.js';
import { profileOf, viewOf } from './user-view.js';

const userStore: UserStore = stateStoreOfFunction(users);
const people = personalKeysOfFunction();

/** PUT /users/{userId}/status: sets a user's status. It is naturally idempotent and needs no key. */
export const handler = endpoint(setStatus, async (request) => {
  const { body, header, parameter } = request;
  const userId = parameter('userId', CallerId);
  const keys = people.forRequest();
  const user = await judge(userStore, keys, {
    ...body,
    userId,
    ifMatch: versionOf(header('if-match')),
    trace: traceOf(request),
    now: clock.now(),
  });
  logger.info('user status set', { status: body.status, version: user?.version ?? 0 });
  return { status: 200, body: viewOf(userId, user, await profileOf(keys, userId, user)) };
});
