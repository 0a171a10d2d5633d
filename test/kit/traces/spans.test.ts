import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  commitContext,
  commitSpanId,
  type SpanLine,
  startSpan,
  traceCommits,
} from '../../../packages/kit/aws/spans.js';
import { TracesEnv } from '../../../packages/kit/aws/traces-names.js';
import { withRequestSpan } from '../../../packages/kit/http/request-span.js';
import { startStoredAttempt } from '../../../packages/kit/messages/attempt.js';
import { readSpanLine } from '../../../packages/kit/traces/otlp.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const caller = (flags: string): string => `00-${TRACE}-${PARENT}-${flags}`;

const lines: SpanLine[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const line = readSpanLine(String(text));
    if (line) lines.push(line);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('a span', () => {
  test('is a child of what its trace context names, and the parent of what it causes', () => {
    const span = startSpan(caller('01'));
    span.end('request', { method: 'GET' });
    expect(lines).toMatchObject([{ kind: 'span', of: 'request', trace: TRACE, parent: PARENT, method: 'GET' }]);
    expect(span.traceparent).toBe(`00-${TRACE}-${lines[0]?.span}-01`);
  });

  test.each([['none'], [undefined], [`00-${'0'.repeat(32)}-${PARENT}-01`]])(
    'begins a trace of its own with %s in the place of a trace context',
    (given) => {
      startSpan(given).end('request', {});
      expect(lines[0]?.parent).toBeUndefined();
      expect(lines[0]?.trace).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  test('of a trace that its caller does not sample is not written, and says so to what it causes', () => {
    const span = startSpan(caller('00'));
    span.end('request', {});
    expect(lines).toEqual([]);
    expect(span.traceparent).toMatch(/-00$/);
  });

  test('is written for the share of the traces that the environment samples', () => {
    vi.stubEnv(TracesEnv.SHARE, '0.25');
    const contexts = Array.from({ length: 2_000 }, () => startSpan(undefined).traceparent);
    const sampled = contexts.filter((context) => context.endsWith('-01')).length;
    expect(sampled).toBeGreaterThan(300);
    expect(sampled).toBeLessThan(700);
  });
});

describe('the span of a commit', () => {
  const item = { pk: 'Order#1', sk: 'C#0000000003', traceparent: caller('01'), events: [{ type: 'OrderPlaced' }] };
  const puts = [{ TableName: 'orders', Item: item }, { TableName: 'orders', Item: { pk: 'Row#1' } }, {}];

  test('has the id that the relay derives from the commit', async () => {
    await traceCommits(Promise.resolve(), 'TransactWriteItems', puts);
    await Promise.resolve();
    expect(lines).toMatchObject([
      { of: 'commit', span: commitSpanId(item), parent: PARENT, aggregate: 'Order', version: 3, table: 'orders' },
    ]);
    expect(startSpan(commitContext(item)).traceparent).toContain(TRACE);
    expect(commitContext(item)).toBe(`00-${TRACE}-${commitSpanId(item)}-01`);
  });

  test('that is refused has another id, since the next attempt writes the same commit, and names the error', async () => {
    const refused = Promise.reject(Object.assign(new Error('secret'), { name: 'TransactionRefused' }));
    traceCommits(refused, 'TransactWriteItems', puts);
    await refused.catch(() => undefined);
    await Promise.resolve();
    expect(lines).toMatchObject([{ of: 'commit', parent: PARENT, error: 'TransactionRefused' }]);
    expect(lines[0]?.span).not.toBe(commitSpanId(item));
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});

describe('the span of a request', () => {
  const event = (headers: object) =>
    ({ httpMethod: 'GET', resource: '/orders/{id}', path: '/orders/1', headers }) as unknown as APIGatewayProxyEvent;

  test('is the cause of what the handler writes, and names the route without its values', async () => {
    let seen: unknown;
    const handler = withRequestSpan(async ({ headers }) => {
      seen = headers.traceparent;
      return { statusCode: 503, headers: { 'X-Correlation-Id': 'c-1' }, body: '' };
    });
    await handler(event({ Traceparent: caller('01'), Accept: '*/*' }));
    expect(lines).toMatchObject([
      { of: 'request', parent: PARENT, route: '/orders/{id}', status: 503, correlationId: 'c-1', error: '503' },
    ]);
    expect(seen).toBe(`00-${TRACE}-${lines[0]?.span}-01`);
    expect(JSON.stringify(lines)).not.toContain('/orders/1');
  });
});

test('a stored message that can not be read has no trace', () => {
  expect(startStoredAttempt('no message', {})).toBeUndefined();
});
