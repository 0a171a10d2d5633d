import { clientOf, endpoint } from '../http/http.js';
import { openSession } from './numbered-session.js';
import { requestRecords } from './request-record.js';

const records = requestRecords();

/** POST /sessions, and under another address for another service: a session for numbered requests; each call opens one. */
export const handler = endpoint({}, async ({ caller }) => ({
  status: 201,
  body: await openSession(clientOf(caller), records),
}));
