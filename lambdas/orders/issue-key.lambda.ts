import { issueKey as newKey } from '@orderly/kit/idempotent-receiver';
import { endpoint } from '../endpoint.js';
import { issueKey } from './routes.js';

/** POST /idempotency-keys: issues an idempotency key that the server generates and doesn't store. */
export const handler = endpoint(issueKey, async () => ({ status: 201, body: newKey() }));
