import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { type Fault, Problem } from './errors.js';
import { repeatedMember } from './json-members.js';

/** Bodies above this are refused with 413 (128 KB). */
export const MAX_BODY_BYTES = 128 * 1024;

/** As many faults as a body has keys would make an answer many times as large as the request. */
const MAX_FAULTS = 20;

/**
 * The body as JSON; an empty one is an empty object.
 * @throws {Problem} 413 where it is too large, 415 where it says that it is something else, 400 where it isn't JSON
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

/** @throws {Problem} 413 */
export function refuseLargeBody({ body, isBase64Encoded }: APIGatewayProxyEvent): void {
  const bytes = Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  if (bytes > MAX_BODY_BYTES) throw new Problem('too-large', `the body has more than ${MAX_BODY_BYTES} bytes`);
}

/** API Gateway takes a body that doesn't say what it is for JSON; so is it here. */
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

/** @throws {Problem} 400 where a parameter stands twice */
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

/** @throws {Problem} 400 with a fault for each place where the value isn't what the schema says, as many as fit */
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
