import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Problem } from './errors.js';

/** Reads a header by its name, in any case. Returns `undefined` if the header is absent or occurs more than once. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * Headers that decide who asks, what is asked, or how it is found again. The authorizer checks `Authorization` and
 * answers 401.
 */
const SINGLE_VALUE_HEADERS = [
  'Content-Type',
  'Content-Encoding',
  'X-Correlation-Id',
  'If-Match',
  'Idempotency-Key',
  'Session-Id',
  'Request-Number',
  'Answered-Up-To',
] as const;

type WithHeaders = {
  readonly headers?: APIGatewayProxyEvent['headers'] | null;
  readonly multiValueHeaders?: APIGatewayProxyEvent['multiValueHeaders'] | null;
};

/**
 * Collects values by lower-case names. API Gateway keeps the case of names, so one header may occur under two
 * spellings.
 */
function collectValues({ headers, multiValueHeaders }: WithHeaders): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of Object.entries(multiValueHeaders ?? headers ?? {})) {
    const key = name.toLowerCase();
    values.set(key, [...(values.get(key) ?? []), ...[value ?? []].flat()]);
  }
  return values;
}

export function headerReader(event: WithHeaders): ReadHeader {
  const values = collectValues(event);
  return (name) => {
    const [value, ...more] = values.get(name.toLowerCase()) ?? [];
    return more.length === 0 ? value : undefined;
  };
}

/**
 * Returns a reader of headers whose value is a list: the values of all lines, with commas between them (RFC 9110, 5.3). A header that
 * decides who asks, or what, is never one of these.
 */
export function listHeaderReader(event: WithHeaders): ReadHeader {
  const values = collectValues(event);
  return (name) => values.get(name.toLowerCase())?.join(', ');
}

/**
 * Refuses a request that repeats a header on which its effect depends. Otherwise a proxy and this function could each
 * read another of the two values.
 * @throws {Problem} 400 `invalid-request`
 */
export function refuseRepeatedHeaders(event: WithHeaders): void {
  const values = collectValues(event);
  const repeated = SINGLE_VALUE_HEADERS.filter((name) => (values.get(name.toLowerCase()) ?? []).length > 1);
  if (repeated.length === 0) return;
  const errors = repeated.map((header) => ({ header, detail: 'given more than once' }));
  throw new Problem('invalid-request', 'a header occurs more than once', { errors });
}
