import { endpoint } from '../../packages/kit/http/http.js';
import { issueKey } from '../../packages/kit/idempotent-receiver/idempotency-key.js';

/** POST /idempotency-keys: a key of the server's making, stored nowhere. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async () => ({ status: 201, body: issueKey() }));
