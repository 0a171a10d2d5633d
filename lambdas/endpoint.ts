import { endpointFor } from '@orderly/kit/http';
import type { Role } from './app.js';

/** The kit's `endpoint`, for callers with Orderly's roles. No log names the customer of a path. */
export const endpoint = endpointFor<Role>({ personalParameters: ['customerId', 'userId'] });
