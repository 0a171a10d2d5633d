import { SimulatedIssuer } from '../../../packages/simulator/client/issuer.js';

export const ISSUER = 'https://issuer.simulation.test';
export const AUDIENCE = 'orderly-simulation';

const settings = { issuer: ISSUER, audience: AUDIENCE };
/** Both keys are derived from public texts. The functions trust the first one only. */
export const ISSUERS = {
  issuer: new SimulatedIssuer(settings, 'the simulation of Orderly'),
  stranger: new SimulatedIssuer(settings, 'somebody else'),
} as const;

/** Issues a token. @param now virtual milliseconds since 1970; the token is valid for 12 hours from then */
export const token = (sub: string, role: 'customer' | 'operator' | 'shop', now: number): string =>
  ISSUERS.issuer.token({ sub, orderly_role: role }, now);
