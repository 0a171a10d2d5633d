import { clock } from '@orderly/kit/internal/aws/clock.js';

/** Address of AWS's APIs. */
export interface Endpoint {
  /** Origin of an emulator. Undefined for AWS itself, with the credentials of the environment. */
  readonly url: string | undefined;
  readonly region: string;
  /** Milliseconds that the clock of an emulator is ahead of this machine's. @default 0 */
  readonly ahead?: number;
}

/** Clock of an environment. */
export interface Clock {
  /** Returns the present time, ISO 8601, UTC. */
  readonly now: () => string;
}

/**
 * Returns the clock of an endpoint: at AWS that of this machine, at an emulator its own. Commands ask no other one, since what an
 * emulator has stored is of its own time.
 */
export const endpointClock = (endpoint: Endpoint): Clock => ({ now: () => currentTime(endpoint) });

/** Returns the present time by the clock of an endpoint, as ISO 8601. */
export const currentTime = ({ ahead = 0 }: Endpoint): string => new Date(Date.parse(clock.now()) + ahead).toISOString();

/** Returns the configuration of an SDK client. An emulator never receives real credentials. */
export function clientConfig({ url, region }: Endpoint) {
  if (!url) return { region };
  return { endpoint: url, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
}

/** Describes an endpoint for people. */
export const describeEndpoint = ({ url, region }: Endpoint): string => url ?? `AWS ${region}`;
