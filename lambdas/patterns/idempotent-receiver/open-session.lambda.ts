import { Env } from '../../platform/environment.js';
import { clientOf, endpoint } from '../../platform/http.js';
import { required } from '../../platform/read-environment.js';
import { openSession } from './numbered-session.js';
import { requestRecords } from './request-record.js';

const records = requestRecords();
const service = required(Env.SERVICE);

/** POST /sessions, and under another address for another service: a session for numbered requests; each call opens one. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async ({ caller }) => ({
  status: 201,
  body: await openSession(clientOf(caller), service, records),
}));
