/** Headers of requests that pages of other origins may send, besides those that every page may send. */
export const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'X-Correlation-Id',
  'traceparent',
  'If-Match',
  'If-None-Match',
  'Prefer',
  'Idempotency-Key',
  'Session-Id',
  'Request-Number',
  'Answered-Up-To',
] as const;

/** Headers of answers that these pages may read, besides those that every page may read (such as `Content-Type`). */
export const EXPOSED_HEADERS = [
  'X-Correlation-Id',
  'Location',
  'Idempotency-Replayed',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'Content-Disposition',
  'ETag',
  'Preference-Applied',
  'Deprecation',
  'Sunset',
] as const;

/** Member of the authorizer's context with the request's origin, if its pages may read the answer. */
export const ALLOWED_ORIGIN = 'corsOrigin';
