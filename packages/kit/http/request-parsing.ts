import { isAscii, isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { type Fault, Problem } from './errors.js';
import type { ReadHeader } from './headers.js';
import { findRepeatedMember } from './json-members.js';

/**
 * Largest body in bytes (64 KB). Larger ones are refused with 413. A firewall can read as much of a body and no more (AWS WAF,
 * `AssociationConfig`), so no handler processes what its rules have not read.
 */
export const MAX_BODY_BYTES = 64 * 1024;

/** Most faults that one answer lists. Without a limit, an answer could be many times as large as its request. */
const MAX_FAULTS = 20;

/**
 * Parses the body as JSON. An empty body becomes an empty object.
 * @throws {Problem} 415 if its `Content-Type` is not JSON in UTF-8, or if it has a `Content-Encoding`; 400 if it is not JSON,
 *   has a repeated member, or came in another encoding than it says
 */
export function parseBody(event: APIGatewayProxyEvent, header: ReadHeader): unknown {
  if ((event.body ?? '') === '') return {};
  const contentType = header('content-type');
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity')
    throw unsupportedMediaType('Content-Encoding', 'the body must not be encoded', 'identity, or none');
  if (!isJson(contentType)) throw unsupportedMediaType('Content-Type', 'the body must be JSON', 'application/json');
  const charset = parseCharset(contentType);
  if (!CHARSETS.includes(charset))
    throw unsupportedMediaType('Content-Type', 'the body must be UTF-8', 'charset=utf-8, or none');
  const raw = decodeBody(event, charset);
  const value = parseJson(raw);
  const repeated = findRepeatedMember(raw);
  if (repeated === undefined) return value;
  throw new Problem('invalid-request', 'an object member occurs more than once', {
    errors: [pointerFault(repeated, 'given more than once')],
  });
}

/**
 * Refuses a body above {@link MAX_BODY_BYTES}.
 * @throws {Problem} 413
 */
export function refuseLargeBody({ body, isBase64Encoded }: APIGatewayProxyEvent): void {
  const bytes = Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  if (bytes > MAX_BODY_BYTES) throw new Problem('too-large', `the body has more than ${MAX_BODY_BYTES} bytes`);
}

const unsupportedMediaType = (header: string, detail: string, expected: string): Problem =>
  new Problem('unsupported-media-type', detail, { errors: [{ header, detail: `expected ${expected}` }] });

/** Charsets that a body may declare. US-ASCII is a part of UTF-8. */
const CHARSETS: readonly string[] = ['utf-8', 'utf8', 'us-ascii'];

/** Returns the charset that a `Content-Type` declares. JSON is UTF-8 without one (RFC 8259, 8.1). */
function parseCharset(contentType = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType) ?? [];
  return charset.toLowerCase();
}

/** Replacement character, which a decoder writes for bytes that are no character. */
const REPLACEMENT = '\uFFFD';

/**
 * Returns the text of a body, never another one than was sent.
 *
 * API Gateway makes text of every body, and puts U+FFFD in the place of bytes that are not UTF-8 ("Content type conversions
 * in API Gateway"). The bytes can't be had any more, so text with this character is refused: whoever means it writes the
 * escape `\ufffd`, which is ASCII. A body in base64 is as it was sent, and is decoded strictly.
 * @throws {Problem} 400, with the member that has the fault
 */
function decodeBody({ body, isBase64Encoded }: APIGatewayProxyEvent, charset: string): string {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  const text = bytes.toString('utf8');
  const isDamaged = isBase64Encoded ? !isUtf8(bytes) : text.includes(REPLACEMENT);
  const isOther = charset === 'us-ascii' && !isAscii(bytes);
  if (!isDamaged && !isOther) return text;
  const pointer = findFaultPath(text, isDamaged ? REPLACEMENT : /[^\0-\x7f]/);
  throw new Problem('invalid-request', `the body is not ${isDamaged ? 'UTF-8' : 'US-ASCII'}, as it says`, {
    errors: [pointerFault(pointer, 'expected UTF-8: bytes of another encoding came here')],
  });
}

/** Finds the first member whose name or text has the fault; the whole body if it is no JSON. */
function findFaultPath(text: string, fault: string | RegExp): readonly PropertyKey[] {
  const isIn = (one: string) => (typeof fault === 'string' ? one.includes(fault) : fault.test(one));
  const find = (value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] | undefined => {
    if (typeof value === 'string') return isIn(value) ? path : undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, inner] of Object.entries(value)) {
      const found = isIn(name) ? path : find(inner, [...path, name]);
      if (found) return found;
    }
    return undefined;
  };
  try {
    return find(JSON.parse(text), []) ?? [];
  } catch {
    return [];
  }
}

/** Tells whether a body may be parsed as JSON. Like API Gateway, it treats a body without `Content-Type` as JSON. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new Problem('invalid-request', 'the body is not JSON', {
      errors: [{ pointer: '', detail: 'expected a JSON object' }],
    });
  }
}

/**
 * Returns the query parameters.
 * @throws {Problem} 400 if a parameter occurs more than once
 */
export function parseQuery(event: APIGatewayProxyEvent): Record<string, string> {
  const entries = Object.entries(event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {});
  return Object.fromEntries(
    entries.map(([name, values]) => {
      const [value = '', ...more] = Array.isArray(values) ? values : [values];
      if (more.length === 0) return [name, value];
      throw new Problem('invalid-request', 'a query parameter occurs more than once', {
        errors: [{ parameter: name, detail: 'given more than once' }],
      });
    }),
  );
}

/** Says of a query's unknown parameter which ones the route takes. */
export function describeUnknownParameter(query: z.ZodMiniType | undefined): string {
  const known = query instanceof z.ZodMiniObject ? Object.keys(query.shape) : [];
  return known.length === 0
    ? 'unknown parameter: this route takes none'
    : `unknown parameter: expected one of ${known.join(', ')}`;
}

/**
 * Checks a value against a schema.
 * @param unknown what to say of a member that the schema doesn't have
 * @throws {Problem} 400 with one fault for each place that does not match, up to a limit
 */
export function validate<T>(
  schema: z.ZodMiniType<T>,
  value: unknown,
  fault: (path: readonly PropertyKey[], detail: string) => Fault,
  unknown = 'unknown field',
): T {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const all = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => fault([...issue.path, key], unknown))
      : [fault(issue.path, issue.message)],
  );
  const errors = all.slice(0, MAX_FAULTS);
  const more = all.length - errors.length;
  const faults = all.length === 1 ? '1 fault' : `${all.length} faults`;
  const listed = more > 0 ? `${errors.length} are listed in errors, and ${more} more are not` : 'listed in errors';
  throw new Problem('invalid-request', `the request has ${faults}, ${listed}`, { errors });
}

export const pointerFault = (path: readonly PropertyKey[], detail: string): Fault => ({
  pointer: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  detail,
});
export const parameterFault = (path: readonly PropertyKey[], detail: string): Fault => ({
  parameter: path.map(String).join('.'),
  detail,
});
