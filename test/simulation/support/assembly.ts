import { assembly } from '../../../tools/local/assembly.js';
import { AUDIENCE, ISSUER, ISSUERS } from './issuer.js';

/** Settings of `prod` in the simulator: a test issuer. */
const SIMULATED = {
  issuer: ISSUER,
  audience: AUDIENCE,
  jwks: ISSUERS.issuer.jwks(),
  allowInlineJwks: 'true',
  alarmEmail: 'alarms@simulation.test',
  // Its reservations take the lane from the first one on.
  hotSkus: 'HOT-1',
  // So do the messages about this customer's account.
  hotCustomers: 'acme',
} as const;

/** The same with the sandbox, which moves no money. */
export const SIMULATED_PROD = { ...SIMULATED, paymentProvider: 'sandbox', allowSandbox: 'true' } as const;

/**
 * Synthesizes the cloud assembly of `prod` with a test issuer, once for each state of the sources.
 * @returns its folder
 */
export const prodAssembly = (): string => assembly('prod', SIMULATED_PROD).folder;

/** Does the same for an API that pages of these origins may call. Nobody deploys it. @returns its folder */
export const prodAssemblyFor = (cors: readonly string[]): string =>
  assembly('prod', { ...SIMULATED_PROD, cors: cors.join(',') }, false).folder;

/** Does the same with the payment code of `prod`, which needs a model of Stripe. Nobody deploys it. @returns its folder */
export const stripeAssembly = (): string => assembly('prod', SIMULATED, false).folder;
