import { BasketsProblem } from '../../../lambdas/baskets/problems.js';
import { InventoryProblem } from '../../../lambdas/inventory/problems.js';
import { OrdersProblem } from '../../../lambdas/orders/problems.js';
import { PaymentsProblem } from '../../../lambdas/payments/problems.js';
import { AppProblem } from '../../../lambdas/problems.js';
import { ReportsProblem } from '../../../lambdas/reports/problems.js';
import { ANSWER_HEADERS } from '../../../packages/kit/http/answer-headers.js';
import { PROBLEMS } from '../../../packages/kit/http/errors.js';
import type { ApiResponse } from '../../../packages/simulator/services/apigateway/messages.js';
import type { FuzzRequest } from './request.js';

/** Every kind of problem that a route may answer. */
const ALL = {
  ...PROBLEMS,
  ...AppProblem,
  ...BasketsProblem,
  ...InventoryProblem,
  ...OrdersProblem,
  ...PaymentsProblem,
  ...ReportsProblem,
};

/** Headers that an answer may have. */
const NAMES = new Set([
  ...Object.keys(ANSWER_HEADERS).map((name) => name.toLowerCase()),
  'content-type',
  'x-correlation-id',
  'location',
  'idempotency-replayed',
  'www-authenticate',
  'retry-after',
  'etag',
  'preference-applied',
  'allow',
  'vary',
  'content-disposition',
  // On the gateway's own answers, whatever an app sets.
  'x-amzn-errortype',
]);
/** Members of a problem (RFC 9457), and of a fault of its `errors`. */
const MEMBERS = new Set([
  'reason',
  'type',
  'title',
  'status',
  'detail',
  'instance',
  'errors',
  'expectedVersion',
  'foundVersion',
  'closesAt',
]);
const FAULT_MEMBERS = new Set(['detail', 'pointer', 'parameter', 'header']);
const MAX_FAULTS = 20;

/** Matches internal text: stacks, files, SDK errors, AWS names. */
const INSIDE =
  /\n\s+at |node_modules|\/var\/task|index\.js|\.ts:\d|arn:aws|amazonaws|dynamodb|kms:|sqs:|zod|Exception|(?:Type|Syntax|Range|Reference|URI)Error|ConditionalCheck|_NAME\b/i;

/** Maximum number of characters of an answer to a valid request. A page of 100 orders with 50 lines each is shorter. */
const LONGEST = 1_000_000;

/** Returns a line for each fault of an answer that no request may cause. */
export function faultsOfAnswer(
  request: FuzzRequest,
  { status, headers, body }: ApiResponse,
  tables: readonly string[],
): readonly string[] {
  // The request was refused in front of the API, so no function handled it. The answer to HEAD has no body.
  const refusal = request.method === 'HEAD' ? '' : '{"message":"Bad Request"}';
  if (status === 400 && body === refusal && !isDecodable(request.path)) return [];
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  expect(status >= 200 && status < 500, `status ${status}`);
  for (const [name, value] of Object.entries(ANSWER_HEADERS))
    expect(headers[name.toLowerCase()] === value, `${name} is ${headers[name.toLowerCase()]}`);
  expect(/^[\w.-]{1,64}$/.test(headers['x-correlation-id'] ?? ''), 'no X-Correlation-Id');
  for (const [name, value] of Object.entries(headers)) {
    expect(NAMES.has(name), `a header ${JSON.stringify(name)}`);
    expect(/^[\x20-\x7e]{0,500}$/.test(value), `${name} holds ${JSON.stringify(value)}`);
  }
  const own = withoutInput(body, request);
  const [inside] = INSIDE.exec(own) ?? [];
  expect(inside === undefined, `the answer shows internal text: ${inside}`);
  expect(!tables.some((table) => own.includes(table)), 'the answer names a table');
  if (request.method === 'HEAD') return faults;
  if (status === 204) {
    expect(body === '', 'an answer without content has a body');
    return faults;
  }
  const answer = parsed(body);
  if (!answer) return [...faults, 'the answer is no JSON object'];
  if (status < 400) {
    expect(headers['content-type'] === 'application/json', `Content-Type ${headers['content-type']}`);
    expect(body.length <= LONGEST, `an answer of ${body.length} characters`);
    return faults;
  }
  return [...faults, ...faultsOfProblem(request, { status, headers, body }, answer)];
}

function faultsOfProblem(
  request: FuzzRequest,
  { status, headers, body }: ApiResponse,
  problem: Readonly<Record<string, unknown>>,
): readonly string[] {
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  expect(headers['content-type'] === 'application/problem+json', `Content-Type ${headers['content-type']}`);
  const [, code = ''] = /^urn:orderly:problem:(.+)$/.exec(String(problem.type)) ?? [];
  const known = Object.entries(ALL).find(([name]) => name === code)?.[1];
  expect(known !== undefined, `a problem of type ${problem.type}`);
  expect(
    problem.status === status && known?.status === status,
    `${code} with ${problem.status}, answered by ${status}`,
  );
  expect(problem.title === known?.title, `the title of ${code} is ${problem.title}`);
  expect(typeof problem.detail === 'string' && problem.detail !== '', 'no detail');
  expect(/^urn:orderly:request:[\w-]+$/.test(String(problem.instance)), `instance ${problem.instance}`);
  for (const member of Object.keys(problem)) expect(MEMBERS.has(member), `a member ${member}`);
  expect((status === 401) === (headers['www-authenticate'] === 'Bearer'), '401 and WWW-Authenticate go together');
  expect((status === 405) === (headers.allow !== undefined), '405 and Allow go together');
  const { errors = [] } = problem as { errors?: readonly Readonly<Record<string, unknown>>[] };
  expect(errors.length <= MAX_FAULTS, `${errors.length} faults`);
  for (const fault of errors)
    for (const [member, value] of Object.entries(fault))
      expect(FAULT_MEMBERS.has(member) && typeof value === 'string', `a fault's ${member}: ${value}`);
  const sent = JSON.stringify(request).length;
  expect(body.length <= 2 * sent + 8_000, `a problem of ${body.length} characters to a request of ${sent}`);
  return faults;
}

/** Removes internal-looking names that the request itself contained, because a fault names its place in the request. */
function withoutInput(body: string, { path, body: sent = '' }: FuzzRequest): string {
  const names = [...(sent + decoded(path)).matchAll(INSIDE_ALL)].map(([found]) => found);
  return names.reduce((text, name) => text.replaceAll(name, ''), body);
}
const INSIDE_ALL = new RegExp(INSIDE.source, 'gi');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path.split('?')[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

function parsed(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
