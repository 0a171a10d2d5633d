import type { PageOptions } from '@orderly/simulator';
import { DEV } from './assembly.js';
import { makeToken } from './dev-issuer.js';

/** What the page of a local cloud shows of Orderly, and what Orderly lends it. */
export function orderlyPage(): PageOptions {
  return {
    name: 'Orderly',
    environment: DEV.environment,
    operator: { stage: 'v1', token: (ahead) => makeToken({ sub: 'console', role: 'operator', ahead }) },
  };
}
