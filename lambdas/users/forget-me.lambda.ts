import { clock, count, logOutcome, Metric } from '@orderly/kit/aws';
import { toKeyedRequest, toTrace } from '@orderly/kit/http';
import { createRequestRecord, recordsTableFromEnvironment } from '@orderly/kit/idempotent-receiver';
import { erasureFromEnvironment } from '@orderly/kit/personal-data';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { forgetUser } from './forget-user.js';
import { forgetMe } from './routes.js';
import type { UserStore } from './stored-user.js';

const userStore: UserStore = stateStoreFromEnvironment(users);
const records = recordsTableFromEnvironment();
const erasure = erasureFromEnvironment();

/** DELETE /users/me: forgets the caller for ever (crypto-shredding), as the operator's `person forget` does. */
export const handler = endpoint(forgetMe, async (request) => {
  const record = createRequestRecord(toKeyedRequest(request), records);
  const trace = toTrace(request);
  const { replayed } = await forgetUser(userStore, erasure, {
    userId: request.caller.id,
    record,
    trace,
    now: clock.now(),
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logOutcome(replayed ? 'user forgotten before' : 'user forgotten');
  return { status: 204, body: undefined, headers: replayed ? { 'Idempotency-Replayed': 'true' } : {} };
});
