import { expect, vi } from 'vitest';
import { LocalCloud, type LocalCloudOptions } from '../../../packages/simulator/live/local-cloud.js';
import { loadSharedDeployment } from './app-code.js';
import { prodAssembly } from './assembly.js';
import { token } from './issuer.js';
import type { Call } from './orderly.js';

/**
 * Starts a local cloud, at which the command line of this process works until {@link endLocalCloud}. Its functions share their packages.
 */
export async function beginLocalCloud(
  options: Pick<LocalCloudOptions, 'historyLimit' | 'nextWorkAt'> = {},
): Promise<LocalCloud> {
  const local = await LocalCloud.start({
    folder: prodAssembly(),
    deployment: loadSharedDeployment,
    log: () => undefined,
    ...options,
  });
  vi.stubEnv('ORDERLY_ENDPOINT', local.url);
  return local;
}

export async function endLocalCloud(local: LocalCloud): Promise<void> {
  vi.unstubAllEnvs();
  await local.stop();
}

/** Sends a request to the API of a local cloud, with a token of its caller. */
export const request = (local: LocalCloud, { method, path, as, body, key }: Call): Promise<Response> =>
  fetch(`${local.url}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token(as, as === 'operator' ? 'operator' : 'customer', local.live.now)}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Does the same with a request that must be accepted. @returns the body of its answer */
export async function accepted(local: LocalCloud, call: Call): Promise<Record<string, string>> {
  const response = await request(local, call);
  expect(response.status, call.path).toBeLessThan(300);
  return (await response.json()) as Record<string, string>;
}
