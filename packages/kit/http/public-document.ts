import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { correlationIdFrom, dropRandomBytes } from '../aws/ids.js';
import { readCorsOrigins } from '../aws/read-environment.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { withCorsHeaders } from './cors.js';
import { matchesTag } from './entity-tag.js';
import { headerReader, listHeaderReader } from './headers.js';

/** Seconds for which caches may keep the document without asking. */
const MAX_AGE_SECONDS = 300;

/**
 * Creates a function behind a public route that answers everybody with one text. Caches may keep it, and ask with
 * `If-None-Match` after five minutes: then 304 without the text.
 *
 * Source: RFC 9110, 8.8.3 (ETag) and 13.1.2 (If-None-Match).
 * @param mediaType of the text: `application/json`
 * @example
 * export const handler = publicDocumentHandler(JSON.stringify(openApi), 'application/json');
 */
export function publicDocumentHandler(
  text: string,
  mediaType: string,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const origins = readCorsOrigins();
  return async (event) => {
    const header = headerReader(event);
    const isKnown = matchesTag(listHeaderReader(event)('if-none-match'), tag);
    const headers = {
      ...ANSWER_HEADERS,
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
      ETag: tag,
      'X-Correlation-Id': correlationIdFrom(header('x-correlation-id')),
      ...(!isKnown && { 'Content-Type': mediaType }),
    };
    dropRandomBytes();
    return withCorsHeaders({ statusCode: isKnown ? 304 : 200, headers, body: isKnown ? '' : text }, header, origins);
  };
}
