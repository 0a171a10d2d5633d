import { assembly } from '../../../tools/local/assembly.js';
import { AUDIENCE, ISSUER, ISSUERS } from './issuer.js';

/** Settings of `prod` in the simulator: a test issuer, and no money is moved. */
export const SIMULATED_PROD = {
  issuer: ISSUER,
  audience: AUDIENCE,
  jwks: ISSUERS.issuer.jwks(),
  allowInlineJwks: 'true',
  paymentProvider: 'sandbox',
  allowSandbox: 'true',
  alarmEmail: 'alarms@simulation.test',
} as const;

/**
 * The cloud assembly of `prod` with a test issuer: synthesized once for each state of the sources.
 * @returns its folder
 */
export const prodAssembly = (): string => assembly('prod', SIMULATED_PROD).folder;
