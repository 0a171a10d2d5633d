import { SimulatedIssuer } from '@orderly/simulator';

/** Issues tokens for the simulator. A real app names its own issuer in `auth`, and fetches the keys from it. */
export const issuer = new SimulatedIssuer({ issuer: 'https://login.tickets.test', audience: 'tickets' });
