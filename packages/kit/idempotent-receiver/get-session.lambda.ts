import { Problem } from '../http/errors.js';
import { clientOf, endpoint } from '../http/http.js';
import { recordsTableFromEnvironment } from './request-record.js';
import { readSessionTimes } from './session.js';

const records = recordsTableFromEnvironment();

/**
 * Handles GET /sessions/{sessionId} (other services have other paths): when the caller last accessed its session, and when
 * the session ends.
 */
export const handler = endpoint({}, async ({ caller, parameter }) => {
  const sessionId = parameter('sessionId');
  const times = await readSessionTimes(clientOf(caller), sessionId, records);
  if (!times) throw new Problem('not-found', 'this service has no session of yours with this id');
  return { status: 200, body: { sessionId, ...times } };
});
