/** Issuer and audience of the tokens of the local run. Environments that keep data refuse them. */
export const DEV_ISSUER = 'urn:orderly:dev';
export const DEV_AUDIENCE = 'orderly-dev';

/** Prefix of the id of every development key, in each clone. Environments that keep data refuse keys with it. */
export const DEV_KEY_PREFIX = 'orderly-dev-';

/** Lifetime of the tokens of the local run, in seconds. */
export const DEV_TOKEN_SECONDS = 12 * 3600;
