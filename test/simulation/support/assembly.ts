import { assembly } from '../../../tools/local/assembly.js';
import { AUDIENCE, ISSUER, ISSUERS } from './issuer.js';

/** Settings of `prod` in the simulator: a test issuer, and the sandbox, which moves no money. */
export const SIMULATED_PROD = {
  issuer: ISSUER,
  audience: AUDIENCE,
  jwks: ISSUERS.issuer.jwks(),
  allowInlineJwks: 'true',
  paymentProvider: 'sandbox',
  allowSandbox: 'true',
  alarmEmail: 'alarms@simulation.test',
  // Its reservations take the lane from the first one on.
  hotSkus: 'HOT-1',
} as const;

/**
 * Synthesizes the cloud assembly of `prod` with a test issuer, once for each state of the sources.
 * @returns its folder
 */
export const prodAssembly = (): string => assembly('prod', SIMULATED_PROD).folder;
