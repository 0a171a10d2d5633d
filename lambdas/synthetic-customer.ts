import { SYNTHETIC_CUSTOMER } from './environment.js';

/**
 * Returns the customer who places the synthetic orders; `undefined` in an environment without them. It is the `sub` of a token, so nobody
 * becomes this customer by a header or a field.
 */
export const syntheticCustomerFromEnvironment = (): string | undefined => process.env[SYNTHETIC_CUSTOMER] || undefined;
