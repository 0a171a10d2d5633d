/** What tokens of the local run say they come from, and whom they are for. Refused where data is kept. */
export const DEV_ISSUER = 'urn:orderly:dev';
export const DEV_AUDIENCE = 'orderly-dev';

/** How the id of every development key begins, whichever clone made it: by that it is refused where data is kept. */
export const DEV_KEY_PREFIX = 'orderly-dev-';

/** How long tokens of the local run are good for, in seconds. */
export const DEV_TOKEN_SECONDS = 12 * 3600;
