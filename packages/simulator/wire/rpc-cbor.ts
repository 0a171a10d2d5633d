import { bodyBytes, type HttpRequest, type HttpResponse, toBody } from '../runtime/http.js';
import { decodeCbor, encodeCbor, Timestamp } from './cbor.js';
import type { AwsError, Input, WireRequest } from './request.js';

const HEADERS = {
  'content-type': 'application/cbor',
  'smithy-protocol': 'rpc-v2-cbor',
  'x-amzn-requestid': 'simulated',
};

/** Members of answers that are timestamps, which the models give as seconds since 1970. */
const TIMESTAMPS: Readonly<Record<string, readonly string[]>> = {
  DescribeAlarms: ['AlarmConfigurationUpdatedTimestamp', 'StateTransitionedTimestamp', 'StateUpdatedTimestamp'],
  GetMetricData: ['Timestamps'],
};

/** Smithy, "Smithy RPC v2 CBOR protocol": `POST /service/<service>/operation/<operation>`. */
export function readRpcCbor(http: HttpRequest): Pick<WireRequest, 'operation' | 'input'> {
  const [, operation = `${http.method} ${http.path}`] = /\/service\/[^/]+\/operation\/([^/?]+)/.exec(http.path) ?? [];
  const bytes = bodyBytes(http);
  return { operation, input: bytes.length === 0 ? {} : (decodeCbor(bytes) as Input) };
}

export const writeRpcCborAnswer = ({ operation }: WireRequest, output: object): HttpResponse => ({
  status: 200,
  headers: HEADERS,
  ...toBody(encodeCbor(withTimestamps(output, TIMESTAMPS[operation] ?? []))),
});

export const writeRpcCborError = (_: WireRequest, { status, code, message, more = {} }: AwsError): HttpResponse => ({
  status,
  headers: HEADERS,
  ...toBody(encodeCbor({ __type: code, ...more, message })),
});

function withTimestamps(value: unknown, names: readonly string[], name = ''): unknown {
  if (names.includes(name) && typeof value === 'number') return new Timestamp(value);
  if (Array.isArray(value)) return value.map((one) => withTimestamps(one, names, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([own, member]) => [own, withTimestamps(member, names, own)]));
}
