import { fileURLToPath } from 'node:url';
import type { PageOptions } from '@orderly/simulator';
import { PROGRAM } from '../../lambdas/operations/program.js';
import { PAGE_LISTS } from '../operator/page-lists.js';
import { DEV } from './assembly.js';
import { listTimers } from './awaits.js';
import { makeToken } from './dev-issuer.js';
import { findEndpoint } from './endpoint.js';
import { CUSTOMER, orderlyToys } from './page-toys.js';

/** What the page of a local cloud shows of Orderly, and what Orderly lends it. */
export function orderlyPage(): PageOptions {
  const operator = (ahead: number): string => makeToken({ sub: 'console', role: 'operator', ahead });
  const customer = (ahead: number): string => makeToken({ sub: CUSTOMER, role: 'customer', ahead });
  return {
    name: 'Orderly',
    environment: DEV.environment,
    promise: 'An order is placed once, although its messages come twice and functions die',
    operator: { stage: 'v1', token: operator },
    documents: { openapi: fileOf('openapi.json'), asyncapi: fileOf('asyncapi.json') },
    callers: [
      { id: CUSTOMER, label: `${CUSTOMER}, a customer`, token: customer },
      { id: 'operator', label: 'an operator', token: operator },
    ],
    timers: listTimers,
    toys: orderlyToys(),
    histories: { file: fileURLToPath(new URL('../../test/simulation/page/histories.ts', import.meta.url)) },
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

/** Path of a document in `docs`. */
const fileOf = (name: string): string => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
