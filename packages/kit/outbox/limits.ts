/**
 * Age at which a batch is given up, in seconds: 22 hours. It is below the stream's own 24 h, so that a batch is saved as a whole before its
 * records expire.
 */
export const MAX_RECORD_AGE_SECONDS = 22 * 3600;
