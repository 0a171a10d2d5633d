import { fileURLToPath } from 'node:url';
import type { PageOptions } from '@orderly/simulator';
import { DEV } from './assembly.js';
import { makeToken } from './dev-issuer.js';

/** What the page of a local cloud shows of Orderly, and what Orderly lends it. */
export function orderlyPage(): PageOptions {
  return {
    name: 'Orderly',
    environment: DEV.environment,
    operator: { stage: 'v1', token: (ahead) => makeToken({ sub: 'console', role: 'operator', ahead }) },
    documents: { openapi: fileOf('openapi.json'), asyncapi: fileOf('asyncapi.json') },
    callers: [
      {
        id: 'alice',
        label: 'alice, a customer',
        token: (ahead) => makeToken({ sub: 'alice', role: 'customer', ahead }),
      },
      {
        id: 'operator',
        label: 'an operator',
        token: (ahead) => makeToken({ sub: 'console', role: 'operator', ahead }),
      },
    ],
  };
}

/** Path of a document in `docs`. */
const fileOf = (name: string): string => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
