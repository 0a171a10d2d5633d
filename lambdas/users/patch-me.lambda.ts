import { clock, count, logOutcome, Metric } from '@orderly/kit/aws';
import { parseIfMatch, toKeyedRequest, toTrace } from '@orderly/kit/http';
import { createRequestRecord, recordsTableFromEnvironment } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { type Json, toShape } from './domain/merge-patch.js';
import { patchProfile } from './patch-profile.js';
import { patchMe } from './routes.js';
import type { UserStore } from './stored-user.js';

const userStore: UserStore = stateStoreFromEnvironment(users);
const records = recordsTableFromEnvironment();
const personalKeys = personalKeysFromEnvironment();

/** PATCH /users/me: patches the caller's profile (RFC 7396), by a key or by a number in a session. */
export const handler = endpoint(patchMe, async (request) => {
  const { caller, body: patch, header } = request;
  const record = createRequestRecord({ ...toKeyedRequest(request), body: toShape(patch as Json) }, records);
  const { view, replayed } = await patchProfile(userStore, personalKeys.forRequest(), {
    userId: caller.id,
    patch,
    ifMatch: parseIfMatch(header('if-match')),
    record,
    trace: toTrace(request),
    now: clock.now(),
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logOutcome(replayed ? 'profile patched before' : 'profile patched');
  return { status: 200, body: view, headers: replayed ? { 'Idempotency-Replayed': 'true' } : {} };
});
