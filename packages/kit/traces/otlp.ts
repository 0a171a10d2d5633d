import { SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  ATTR_CLOUD_ACCOUNT_ID,
  ATTR_CLOUD_PLATFORM,
  ATTR_CLOUD_PROVIDER,
  ATTR_CLOUD_REGION,
  ATTR_DEPLOYMENT_ENVIRONMENT_NAME,
  ATTR_FAAS_NAME,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_NAMESPACE,
  CLOUD_PLATFORM_VALUE_AWS_LAMBDA,
  CLOUD_PROVIDER_VALUE_AWS,
} from '@opentelemetry/semantic-conventions/incubating';
import * as z from 'zod/mini';
import type { SpanLine } from '../aws/spans.js';
import { SPAN } from '../aws/traces-names.js';
import { describe } from './semantic-conventions.js';

/** Where spans come from. */
export interface Origin {
  /** Name of the application. */
  readonly app: string;
  readonly environment: string;
  readonly region: string;
  readonly account: string;
}

type ReadableSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];
type Resource = ReadableSpan['resource'];

const Id = (digits: number) => z.string().check(z.regex(new RegExp(`^[0-9a-f]{${digits}}$`)));
const Line = z.looseObject({
  kind: z.literal(SPAN),
  of: z.string(),
  service: z.string(),
  fn: z.string(),
  trace: Id(32),
  span: Id(16),
  parent: z.exactOptional(Id(16)),
  begin: z.int(),
  end: z.int(),
  error: z.exactOptional(z.string()),
});

/** Reads a line of a log. @returns the span, or `undefined` for a line that is none */
export function readSpanLine(line: string): SpanLine | undefined {
  try {
    const read = z.safeParse(Line, JSON.parse(line));
    return read.success ? (read.data as SpanLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Builds the body of an OTLP request, as JSON (OpenTelemetry Protocol Specification 1.x, "JSON Protobuf Encoding"). */
export function toOtlpRequest(lines: readonly SpanLine[], origin: Origin): Uint8Array<ArrayBuffer> {
  // The serializer groups by the object of the resource.
  const resources = new Map<string, Resource>();
  const resourceOf = ({ service, fn }: SpanLine): Resource => {
    const resource = resources.get(fn) ?? toResource(service, fn, origin);
    resources.set(fn, resource);
    return resource;
  };
  const spans = lines.flatMap((line) => toSpan(line, resourceOf(line)) ?? []);
  const body = JsonTraceSerializer.serializeRequest(spans);
  if (!body) throw new Error('the serializer of OpenTelemetry returned nothing: expected the body of a request');
  return new Uint8Array(body);
}

function toSpan(line: SpanLine, resource: Resource): ReadableSpan | undefined {
  const described = describe(line);
  if (!described) return undefined;
  const { trace: traceId, span: spanId, parent, begin, end, error } = line;
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  return {
    ...described,
    spanContext: () => context(spanId),
    // Whatever causes a span runs elsewhere, or may.
    ...(parent !== undefined && { parentSpanContext: { ...context(parent), isRemote: true } }),
    startTime: toHrTime(begin),
    endTime: toHrTime(end),
    duration: toHrTime(end - begin),
    ended: true,
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    links: [],
    events: [],
    resource,
    instrumentationScope: { name: '@orderly/kit' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const toResource = (service: string, fn: string, { app, environment, region, account }: Origin): Resource => {
  const attributes = {
    [ATTR_SERVICE_NAME]: service,
    [ATTR_SERVICE_NAMESPACE]: app,
    [ATTR_DEPLOYMENT_ENVIRONMENT_NAME]: environment,
    [ATTR_CLOUD_PROVIDER]: CLOUD_PROVIDER_VALUE_AWS,
    [ATTR_CLOUD_PLATFORM]: CLOUD_PLATFORM_VALUE_AWS_LAMBDA,
    [ATTR_CLOUD_REGION]: region,
    [ATTR_CLOUD_ACCOUNT_ID]: account,
    [ATTR_FAAS_NAME]: fn,
  };
  const resource: Resource = {
    attributes,
    merge: (other) => other ?? resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
};

/** Seconds and nanoseconds. @param milliseconds since 1970, or of a duration */
const toHrTime = (milliseconds: number): [number, number] => [
  Math.floor(milliseconds / 1000),
  (milliseconds % 1000) * 1e6,
];
