import type { Endpoint as AnyEndpoint } from '@orderly/operator';
import { LocalRunError } from './errors.js';
import { isAnswering } from './localstack/localstack.js';

/** Kind of an endpoint: it decides at which address the API of a deployment is. */
export type EndpointKind = 'aws' | 'local-cloud' | 'localstack' | 'other-emulator';

/** Where AWS's APIs are spoken: an emulator's address, or AWS itself. */
export interface Endpoint extends AnyEndpoint {
  readonly kind: EndpointKind;
}

/**
 * Returns the endpoint that `ORDERLY_ENDPOINT` names (an emulator's address, or `aws`), or `undefined` if it is not
 * set.
 */
export async function endpointFromEnvironment(): Promise<Endpoint | undefined> {
  const named = process.env.ORDERLY_ENDPOINT;
  return named ? findEndpoint(named) : undefined;
}

/**
 * Returns the endpoint at an address.
 * @throws {LocalRunError} if nothing answers there
 */
export async function findEndpoint(named: string): Promise<Endpoint> {
  const region = process.env.AWS_REGION ?? 'us-east-1';
  if (named === 'aws') return { url: undefined, region, kind: 'aws' };
  const url = httpAddress(named);
  try {
    await fetch(url, { signal: AbortSignal.timeout(5000) });
  } catch (cause) {
    throw new LocalRunError(`Nothing answers at ${url} (from ORDERLY_ENDPOINT).`, { cause });
  }
  const localCloud = await readLocalCloud(url);
  if (localCloud) return { url, region, kind: 'local-cloud', ahead: localCloud.ahead };
  return { url, region, kind: (await isAnswering(url)) ? 'localstack' : 'other-emulator' };
}

/**
 * Returns the milliseconds that the clock of a local cloud is ahead of this machine's, since somebody has forwarded it.
 * @returns 0 where none answers
 */
export async function readClockOffset(url: string | undefined): Promise<number> {
  return (url === undefined ? undefined : await readLocalCloud(url))?.ahead ?? 0;
}

/** Returns what a local cloud says of itself, or `undefined` where none answers. */
async function readLocalCloud(url: string): Promise<{ readonly ahead: number } | undefined> {
  try {
    const response = await fetch(`${url}/_local`, { signal: AbortSignal.timeout(5000) });
    const status = (await response.json()) as { readonly simulator?: unknown; readonly ahead: number };
    return response.ok && status.simulator === true ? status : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the origin without a trailing slash. Names of this machine become its IP address; otherwise bucket names
 * would become host names.
 */
function httpAddress(named: string): string {
  try {
    const url = new URL(named);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(url.protocol);
    if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
    return url.origin;
  } catch {
    throw new LocalRunError(
      `ORDERLY_ENDPOINT is '${named}': expected http://<host>:<port>, or aws for a real account.`,
    );
  }
}

/** Returns the environment of a child process that talks to the endpoint. Real credentials never reach an emulator. */
export function endpointEnvironment({ url, region }: Endpoint): NodeJS.ProcessEnv {
  if (!url) return process.env;
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return {
    ...Object.fromEntries(others),
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
}
