import type { PageOptions } from '@orderly/simulator';
import { PROGRAM } from '../../lambdas/operations/program.js';
import { PAGE_LISTS } from '../operator/page-lists.js';
import { DEV } from './assembly.js';
import { makeToken } from './dev-issuer.js';
import { findEndpoint } from './endpoint.js';
import { orderlyToys } from './page-toys.js';

/** What the page of a local cloud shows of Orderly, and what Orderly lends it. */
export function orderlyPage(): PageOptions {
  return {
    name: 'Orderly',
    environment: DEV.environment,
    operator: { stage: 'v1', token: (ahead) => makeToken({ sub: 'console', role: 'operator', ahead }) },
    toys: orderlyToys(),
    lists: PAGE_LISTS,
    commands: (url) => ({
      program: PROGRAM,
      common: ['--environment', DEV.environment],
      run: async (words, output) => {
        const [{ ORDERLY }, { operatorCommandLine }] = await Promise.all([
          import('../operator/command-line.js'),
          import('@orderly/operator/definitions'),
        ]);
        return operatorCommandLine({ ...ORDERLY, resolveEndpoint: () => findEndpoint(url) })(words, output);
      },
    }),
  };
}
