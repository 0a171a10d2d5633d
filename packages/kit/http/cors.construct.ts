import type { IResource } from 'aws-cdk-lib/aws-apigateway';
import { ANSWER_HEADERS } from './answer-headers.js';
import { ALLOWED_HEADERS, ALLOWED_ORIGIN, EXPOSED_HEADERS } from './cors-headers.js';
import { addMockMethod, quoteValues } from './mock-method.construct.js';

/** Time for which a browser remembers the answer to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 3600;

/** Browsers send the name as `Origin`, and over HTTP/2 in lower case. A template looks for the exact name. */
const ORIGIN = ['Origin', 'origin'].map((name) => `$input.params().header.get("${name}")`);

/**
 * Returns the beginning of a mapping template, which adds the origin of the request if its pages may read the answer; nothing
 * without origins. It compares with each origin and writes the one that it knows, so no text of a request gets into an answer.
 *
 * Source: API Gateway, "Override your API's request and response parameters": a template may add a header, and each
 * header once.
 */
export const corsTemplate = (origins: readonly string[]): string =>
  origins
    .map((origin) => {
      const isOrigin = ORIGIN.map((header) => `${header} == "${origin}"`).join(' || ');
      return `#if(${isOrigin})\n#set($context.responseOverride.header.Access-Control-Allow-Origin = "${origin}")\n#end\n`;
    })
    .join('');

/** Returns the headers of an answer whose template is a {@link corsTemplate}; none without origins. */
export const corsHeaders = (origins: readonly string[]): Readonly<Record<string, string>> =>
  origins.length === 0 ? {} : { 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '), Vary: 'Origin' };

/**
 * Returns the headers with which a fixed answer lets pages read it. A fixed answer can't compare origins, so there are headers
 * for a single origin only.
 */
export const singleOriginCorsHeaders = (origins: readonly string[]): Readonly<Record<string, string>> => {
  const [origin, ...others] = origins;
  if (origin === undefined || others.length > 0) return {};
  return { 'Access-Control-Allow-Origin': origin, ...corsHeaders(origins) };
};

/**
 * Returns the headers of an answer of the gateway that is no integration's, as the gateway reads them. Its template can't compare
 * origins. If the authorizer has run before, the authorizer has compared them.
 */
export function gatewayCorsHeaders(
  origins: readonly string[],
  { authorized }: { readonly authorized: boolean },
): Readonly<Record<string, string>> {
  if (origins.length < 2 || !authorized) return quoteValues(singleOriginCorsHeaders(origins));
  return {
    'Access-Control-Allow-Origin': `context.authorizer.${ALLOWED_ORIGIN}`,
    ...quoteValues(corsHeaders(origins)),
  };
}

/**
 * Answers the preflight requests of browsers for a path (Fetch standard, "CORS-preflight request"). It names no origin to a page
 * that may not call. No answer allows credentials.
 */
export function answerPreflight(path: IResource, methods: readonly string[], origins: readonly string[]): void {
  const headers = {
    ...ANSWER_HEADERS,
    'Access-Control-Allow-Methods': [...methods].sort().join(', '),
    'Access-Control-Allow-Headers': ALLOWED_HEADERS.join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    Vary: 'Origin',
  };
  addMockMethod(path, 'OPTIONS', {
    status: 204,
    headers: { ...quoteValues(headers), 'X-Correlation-Id': 'context.requestId' },
    template: corsTemplate(origins),
    reason: 'A browser sends a preflight without a token, and learns only which pages may call.',
  });
}
