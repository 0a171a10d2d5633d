import type { APIGatewayProxyResult } from 'aws-lambda';
import { readCorsOrigins } from '../aws/read-environment.js';
import { EXPOSED_HEADERS } from './cors-headers.js';
import type { ReadHeader } from './headers.js';

/** Returns the origin of a request if its pages may read the answer (Fetch standard, "CORS protocol"). Only the same text is the same origin. */
export const findAllowedOrigin = (header: ReadHeader, origins = readCorsOrigins()): string | undefined => {
  const origin = header('origin');
  return origins.find((allowed) => allowed === origin);
};

/**
 * Lets pages of the allowed origins read an answer. Without the setting, it returns the answer as it is.
 *
 * Every answer then depends on the header `Origin`, also one without an allowed origin, and says so in `Vary`. No answer allows
 * credentials: a token is sent by the page itself, never by the browser.
 */
export function withCorsHeaders(
  answer: APIGatewayProxyResult,
  header: ReadHeader,
  origins: readonly string[],
): APIGatewayProxyResult {
  if (origins.length === 0) return answer;
  const origin = findAllowedOrigin(header, origins);
  const { Vary, ...others } = answer.headers ?? {};
  return {
    ...answer,
    headers: {
      ...others,
      Vary: Vary === undefined ? 'Origin' : `${Vary}, Origin`,
      ...(origin !== undefined && {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
      }),
    },
  };
}
