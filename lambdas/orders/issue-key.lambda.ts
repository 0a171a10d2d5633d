import { issueKey } from '@orderly/kit/idempotent-receiver';
import { endpoint } from '../endpoint.js';

/** POST /idempotency-keys: issues an idempotency key that the server generates and doesn't store. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async () => ({ status: 201, body: issueKey() }));
