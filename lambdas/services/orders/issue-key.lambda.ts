import { issueKey } from '../../patterns/idempotent-receiver/idempotency-key.js';
import { endpoint } from '../../platform/http.js';

/** POST /idempotency-keys: a key of the server's making, stored nowhere. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async () => ({ status: 201, body: issueKey() }));
