/** Shared by the routes, which write these items, and by their permissions. */

/** Prefix of the keys of answered requests in the records table, before the hash of the client's key. */
export const API_RECORDS = 'api#';

/** Prefix of the keys of sessions in the records table. */
export const SESSIONS = 'session#';
