import { clock, count, logger, Metric } from '@orderly/kit/aws';
import { keyedBy, traceOf, versionOf } from '@orderly/kit/http';
import { recordOfRequest, requestRecords } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { type Json, shapeOf } from './domain/merge-patch.js';
import { patchProfile } from './patch-profile.js';
import { patchMe } from './routes.js';
import type { UserStore } from './stored-user.js';

const userStore: UserStore = stateStoreOfFunction(users);
const records = requestRecords();
const people = personalKeysOfFunction();

/** PATCH /users/me: patches the caller's profile (RFC 7396), by a key or by a number in a session. */
export const handler = endpoint(patchMe, async (request) => {
  const { caller, body: patch, header } = request;
  const record = recordOfRequest({ ...keyedBy(request), body: shapeOf(patch as Json) }, records);
  const { view, replayed } = await patchProfile(userStore, people.forRequest(), {
    userId: caller.id,
    patch,
    ifMatch: versionOf(header('if-match')),
    record,
    trace: traceOf(request),
    now: clock.now(),
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'profile patched before' : 'profile patched');
  return { status: 200, body: view, headers: replayed ? { 'Idempotency-Replayed': 'true' } : {} };
});
