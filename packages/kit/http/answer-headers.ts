/**
 * Headers of every answer, from a function, the gateway or the firewall.
 *
 * - `Cache-Control`: answers hold what only their caller may see, so no cache may store them.
 * - `X-Content-Type-Options`: browsers must not guess another type than the answer's own.
 * - `Strict-Transport-Security`: a client that has used TLS once uses TLS for a year (RFC 6797). The header says
 *   nothing about other hosts of the domain.
 */
export const ANSWER_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
} as const;
