import { issueKey } from '../../packages/kit/idempotent-receiver/idempotency-key.js';
import { endpoint } from '../endpoint.js';

/** POST /idempotency-keys: a key of the server's making, stored nowhere. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async () => ({ status: 201, body: issueKey() }));
