import { clock, count, logger, Metric } from '@orderly/kit/aws';
import { keyedBy, traceOf } from '@orderly/kit/http';
import { recordOfRequest, requestRecords } from '@orderly/kit/idempotent-receiver';
import { erasureOfFunction } from '@orderly/kit/personal-data';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { users } from './aggregates.js';
import { forgetUser } from './forget-user.js';
import { forgetMe } from './routes.js';
import type { UserStore } from './stored-user.js';

const userStore: UserStore = stateStoreOfFunction(users);
const records = requestRecords();
const erasure = erasureOfFunction();

/** DELETE /users/me: forgets the caller for ever (crypto-shredding), as the operator's `person forget` does. */
export const handler = endpoint(forgetMe, async (request) => {
  const record = recordOfRequest(keyedBy(request), records);
  const trace = traceOf(request);
  const { replayed } = await forgetUser(userStore, erasure, {
    userId: request.caller.id,
    record,
    trace,
    now: clock.now(),
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'user forgotten before' : 'user forgotten');
  return { status: 204, body: undefined, headers: replayed ? { 'Idempotency-Replayed': 'true' } : {} };
});
