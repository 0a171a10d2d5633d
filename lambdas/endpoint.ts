import { endpointFor } from '../packages/kit/http/http.js';
import type { Role } from './app.js';

/** The kit's `endpoint`, for callers with Orderly's roles. */
export const endpoint = endpointFor<Role>();
