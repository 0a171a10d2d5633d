import { clientOf, endpoint } from '../http/http.js';
import { recordsTableFromEnvironment } from './request-record.js';
import { openSession } from './session.js';

const records = recordsTableFromEnvironment();

/**
 * Handles POST /sessions (other services have other paths): opens a session for numbered requests. Each call opens a
 * new session.
 */
export const handler = endpoint({}, async ({ caller }) => ({
  status: 201,
  body: await openSession(clientOf(caller), records),
}));
