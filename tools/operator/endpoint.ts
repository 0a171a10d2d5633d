import type { Endpoint } from '@orderly/operator';
import { OperatorError } from '@orderly/operator/definitions';
import { ENVIRONMENT_NAMES } from '../../lib/environment-names.js';
import { endpointFromEnvironment, findEndpoint } from '../local/endpoint.js';
import { LocalRunError } from '../local/errors.js';
import { readLocalRun } from '../local/local-run.js';

/**
 * Chooses the endpoint: `ORDERLY_ENDPOINT`; else for `dev` a local run of this clone that still answers; else AWS. For `dev`, AWS has to
 * be named: a shell with a region would otherwise turn a command for a local cloud that has ended into one for its account.
 * @param call `isAwsNamed`: whether the call names AWS
 * @throws {OperatorError} `usage` if there is no such environment; `unreachable` if nothing answers at `ORDERLY_ENDPOINT`, nothing
 *   runs in this clone, or no region is named for AWS
 */
export async function resolveEndpoint(
  environment: string,
  { isAwsNamed }: { readonly isAwsNamed: boolean },
): Promise<Endpoint> {
  checkEnvironment(environment);
  const named = await endpointFromEnvironment().catch((error: unknown) => {
    if (!(error instanceof LocalRunError)) throw error;
    throw new OperatorError('unreachable', error.message, undefined, { cause: error });
  });
  if (named) return named.url === undefined ? atAws() : named;
  if (environment !== 'dev' || isAwsNamed) return atAws();
  const run = readLocalRun();
  if (run) {
    try {
      return { ...(await findEndpoint(run.endpoint)), region: run.region };
    } catch (error) {
      if (!(error instanceof LocalRunError)) throw error; // a finished run left it behind
    }
  }
  throw new OperatorError(
    'unreachable',
    'Nothing is running in this clone, and nothing says that dev is at AWS.',
    'npm start   (in another terminal); or, for AWS, add --region <region>',
  );
}

/** @throws {OperatorError} `unreachable` if no region is named */
const atAws = async (): Promise<Endpoint> => {
  const { awsRegion } = await import('@orderly/operator');
  return { url: undefined, region: await awsRegion() };
};

/** @throws {OperatorError} `usage` */
function checkEnvironment(environment: string): void {
  const names: readonly string[] = ENVIRONMENT_NAMES;
  if (names.includes(environment)) return;
  throw new OperatorError('usage', `Environment '${environment}' is unknown: lib/settings.ts has ${names.join(', ')}.`);
}
