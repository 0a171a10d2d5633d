import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { type Fault, Problem } from './errors.js';
import { repeatedMember } from './json-members.js';

/** Largest body in bytes (128 KB). Larger ones are refused with 413. */
export const MAX_BODY_BYTES = 128 * 1024;

/** Most faults that one answer lists. Without a limit, an answer could be many times as large as its request. */
const MAX_FAULTS = 20;

/**
 * Parses the body as JSON. An empty body becomes an empty object.
 * @throws {Problem} 415 if its `Content-Type` is not JSON; 400 if it is not JSON or has a repeated member
 */
export function bodyOf({ body, isBase64Encoded }: APIGatewayProxyEvent, contentType: string | undefined): unknown {
  const raw = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString('utf8') : (body ?? '');
  if (raw === '') return {};
  if (!isJson(contentType)) {
    throw new Problem('unsupported-media-type', 'the body must be JSON', {
      errors: [{ header: 'Content-Type', detail: 'expected application/json' }],
    });
  }
  const value = parsed(raw);
  const repeated = repeatedMember(raw);
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

/** Tells whether a body may be parsed as JSON. Like API Gateway, it treats a body without `Content-Type` as JSON. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType);

function parsed(raw: string): unknown {
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
export function queryOf(event: APIGatewayProxyEvent): Record<string, string> {
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

/**
 * Checks a value against a schema.
 * @throws {Problem} 400 with one fault for each place that does not match, up to a limit
 */
export function checked<T>(
  schema: z.ZodMiniType<T>,
  value: unknown,
  fault: (path: readonly PropertyKey[], detail: string) => Fault,
): T {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const all = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => fault([...issue.path, key], 'unknown field'))
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
