import type { Deployment } from '../../tools/local/deploy.js';

/** Deployment that integration and acceptance tests run against: `inject('deployed')`. */
export interface Deployed {
  /** Undefined: AWS itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly outputs: Deployment['outputs'];
  /** For `new ProxyControl(proxyUrl)`; undefined under `ORDERLY_ENDPOINT`: tests that need it are skipped by name. */
  readonly proxyUrl: string | undefined;
}

declare module 'vitest' {
  export interface ProvidedContext {
    deployed: Deployed;
  }
}
