import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { correlationIdFrom } from '../aws/ids.js';
import { corsOrigins } from '../aws/read-environment.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { sharedWithPages } from './cors.js';
import { headersOf } from './headers.js';

/** Seconds for which caches may keep the document without asking. */
const MAX_AGE_SECONDS = 300;

/**
 * Creates a function behind a public route that answers everybody with one text. Caches may keep it, and ask with
 * `If-None-Match` after five minutes: then 304 without the text.
 *
 * Source: RFC 9110, 8.8.3 (ETag) and 13.1.2 (If-None-Match).
 * @param mediaType of the text: `application/json`
 * @example
 * export const handler = publicDocument(JSON.stringify(openApi), 'application/json');
 */
export function publicDocument(
  text: string,
  mediaType: string,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const origins = corsOrigins();
  return async (event) => {
    const header = headersOf(event);
    const isKnown = isAmong(header('if-none-match'), tag);
    const headers = {
      ...ANSWER_HEADERS,
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
      ETag: tag,
      'X-Correlation-Id': correlationIdFrom(header('x-correlation-id')),
      ...(!isKnown && { 'Content-Type': mediaType }),
    };
    return sharedWithPages({ statusCode: isKnown ? 304 : 200, headers, body: isKnown ? '' : text }, header, origins);
  };
}

/** Compares weakly, as the RFC says for this header: a proxy that compresses an answer makes its tag weak. */
const isAmong = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch?.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, ''))) ?? false;
