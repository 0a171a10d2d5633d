/**
 * Headers of every answer, whoever gives it: a function, the gateway, the firewall.
 *
 * Answers hold what only their caller may see, so nothing on the way keeps them; they are JSON, whatever a browser takes
 * them for; and whoever has asked by TLS once asks by TLS for a year (RFC 6797; other hosts of the domain are not spoken for).
 */
export const ANSWER_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
} as const;
