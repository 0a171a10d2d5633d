import * as z from 'zod/mini';
import type { Route } from '../route.js';

const CACHED = {
  ETag: 'Changes with the document.',
  'Cache-Control': '`public, max-age=300`',
};

export const getOpenApi = {
  method: 'GET',
  path: '/openapi.json',
  id: 'getOpenApi',
  summary: 'Read this document',
  description: 'Needs no token. Caches may keep it for five minutes, and ask with `If-None-Match` after that.',
  isPublic: true,
  answers: {
    200: { description: 'OpenAPI 3.1', body: z.looseObject({ openapi: z.string() }), headers: CACHED },
    304: { description: 'Still the same', headers: CACHED },
  },
} as const satisfies Route;
