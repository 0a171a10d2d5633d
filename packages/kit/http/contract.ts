/** Shared by the functions that wait, by their permissions and by the documents of routes. */

/** Longest wait of a request, in seconds. API Gateway ends a request after 29 s. */
export const MAX_WAIT_SECONDS = 20;

/** Requests of one caller that may wait at once. */
export const WAITS_AT_ONCE = 3;

/** Prefix of the keys of waits in the records table, before the hash of the caller. */
export const WAITS = 'wait#';
