import { gzipSync } from 'node:zlib';
import type { CloudWatchLogsEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Env } from '../../../packages/kit/aws/environment.js';
import { TracesEnv, TracesMetric } from '../../../packages/kit/aws/traces-names.js';
import { functionEnvironment } from '../../support/function-environment.js';

const ids = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const span = { kind: 'span', service: 'orders', fn: 'OnSagaMessage', begin: 1_700_000_000_123, end: 1_700_000_000_223 };
const LINES = [
  { ...span, ...ids, of: 'request', method: 'POST', route: '/orders', status: 201, correlationId: 'c-1' },
  {
    ...span,
    ...ids,
    ...{ of: 'process', parent: 'aaaaaaaaaaaaaaaa', consumer: 'orders-saga', message: 'm-1', type: 'OrderPlaced' },
    ...{ outcome: 'refused', attempt: 2, error: 'OutOfStock' },
  },
  { ...span, ...ids, of: 'a subject of a newer release' },
];

const logged = (...messages: readonly string[]): CloudWatchLogsEvent => {
  const logEvents = messages.map((message, at) => ({ id: String(at), timestamp: 1, message }));
  const text = JSON.stringify({ messageType: 'DATA_MESSAGE', owner: '123456789012', logEvents });
  return { awslogs: { data: gzipSync(text).toString('base64') } };
};
const EVENT = logged(...LINES.map((line) => JSON.stringify(line)), '{"kind":"log"}', 'not JSON', '{"kind":"span"}');

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
const sent: Sent[] = [];
let answer: () => Response;

/** Loads the exporter with an endpoint, or for X-Ray. */
async function exporter(endpoint?: string) {
  vi.resetModules();
  functionEnvironment({
    [Env.ENVIRONMENT]: 'dev',
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  vi.stubEnv(TracesEnv.ENDPOINT, endpoint);
  const telemetry = await import('../../../packages/kit/aws/telemetry.js');
  const counted = vi.spyOn(telemetry, 'count');
  const { handler } = await import('../../../packages/kit/traces/export-spans.lambda.js');
  return { handler, counted };
}

beforeEach(() => {
  sent.length = 0;
  answer = () => new Response('{}');
  vi.stubGlobal('fetch', async (url: URL, { headers, body }: { headers: Sent['headers']; body: Uint8Array }) => {
    sent.push({ url: String(url), headers, body: Buffer.from(body).toString() });
    return answer();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe('the exporter of spans', () => {
  test('sends what it knows by the names of the semantic conventions, and nothing else of a log', async () => {
    const { handler } = await exporter('https://collector.example.org:4318/');
    await handler(EVENT);
    expect(sent.map(({ url }) => url)).toEqual(['https://collector.example.org:4318/v1/traces']);
    expect(sent[0]?.headers).not.toHaveProperty('authorization');
    const { resourceSpans } = JSON.parse(sent[0]?.body ?? '');
    expect(resourceSpans).toHaveLength(1);
    const values = (attributes: { key: string; value: object }[]) =>
      Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    expect(values(resourceSpans[0].resource.attributes)).toMatchObject({
      'service.name': 'orders',
      'deployment.environment.name': 'dev',
      'cloud.region': 'eu-west-1',
      'cloud.account.id': '123456789012',
      'faas.name': 'OnSagaMessage',
    });
    const [request, attempt, ...others] = resourceSpans[0].scopeSpans[0].spans;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      name: 'POST /orders',
      kind: 2,
      traceId: ids.trace,
      startTimeUnixNano: '1700000000123000000',
      endTimeUnixNano: '1700000000223000000',
    });
    expect(attempt).toMatchObject({
      name: 'process OrderPlaced',
      kind: 5,
      parentSpanId: 'aaaaaaaaaaaaaaaa',
      status: { code: 2, message: 'OutOfStock' },
    });
    expect(values(attempt.attributes)).toMatchObject({
      'messaging.system': 'aws_sqs',
      'messaging.operation.type': 'process',
      'messaging.consumer.group.name': 'orders-saga',
      'messaging.message.id': 'm-1',
      'cloudevents.event_type': 'OrderPlaced',
      'error.type': 'OutOfStock',
      'kit.outcome': 'refused',
      'kit.attempt': 2,
    });
  });

  test('signs what it sends to X-Ray, in its Region', async () => {
    const { handler } = await exporter();
    await handler(EVENT);
    expect(sent[0]?.url).toBe('https://xray.eu-west-1.amazonaws.com/v1/traces');
    expect(sent[0]?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/xray\/aws4_request, SignedHeaders=[^,]*content-type;host/,
    );
    expect(sent[0]?.headers['x-amz-security-token']).toBe('token');
  });

  test('sends nothing for a log without spans', async () => {
    const { handler } = await exporter('https://collector.example.org');
    await handler(logged('START', '{"level":"INFO"}'));
    expect(sent).toEqual([]);
  });

  test.each([429, 503])('fails if the receiver answers %i, so that Lambda tries again', async (status) => {
    const { handler, counted } = await exporter('https://collector.example.org');
    answer = () => new Response('', { status });
    await expect(handler(EVENT)).rejects.toThrow(`the receiver of traces answered ${status}`);
    expect(counted).not.toHaveBeenCalled();
  });

  test('fails if the receiver can not be reached', async () => {
    const { handler } = await exporter('https://collector.example.org');
    answer = () => {
      throw new TypeError('fetch failed');
    };
    await expect(handler(EVENT)).rejects.toThrow('fetch failed');
  });

  test('counts what the receiver refuses for good, and ends without an error', async () => {
    const { handler, counted } = await exporter('https://collector.example.org');
    answer = () => new Response('', { status: 400 });
    await handler(EVENT);
    expect(counted.mock.calls).toEqual([[TracesMetric.SPANS_LOST, 3]]);
  });
});
