import type { HttpRequest, HttpResponse } from '../runtime/http.js';

/** A request of the SDK, read from the wire. */
export interface AwsRequest {
  readonly service: 'dynamodb' | 'sqs' | 'events' | 's3' | 'kms';
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * PutEvents, SendMessageBatch: error codes of refused entries by their index. Only these operations can have this
   * fault.
   */
  readonly refusedEntries?: ReadonlyMap<number, string>;
}

/** An error as a service answers it; `code` is the value of `__type`. */
export interface AwsError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A request that no model answers. */
class ServiceNotModelled extends Error {
  override readonly name = 'ServiceNotModelled';
}

const TARGETS: Readonly<Record<string, AwsRequest['service']>> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  AWSEvents: 'events',
  TrentService: 'kms',
};

/**
 * Reads a request: AWS JSON 1.0 (DynamoDB, SQS) and 1.1 (EventBridge, KMS) by their `X-Amz-Target`, S3's REST by method and
 * path. Smithy, "AWS JSON 1.0 protocol"; Amazon S3, "GetObject".
 * @throws {ServiceNotModelled}
 */
export function requestOf({ method, host, path, headers, body }: HttpRequest): AwsRequest {
  const [prefix = '', operation = ''] = (headers['x-amz-target'] ?? '').split('.');
  const service = TARGETS[prefix];
  if (service) return { service, operation, input: body === '' ? {} : JSON.parse(body) };
  const [, bucket] = /^(.+)\.s3\.[\w.-]+$/.exec(host) ?? [];
  if (bucket !== undefined && method === 'GET') {
    const [key = '', query] = path.slice(1).split('?');
    const VersionId = new URLSearchParams(query).get('versionId');
    const input = { Bucket: bucket, Key: decodeURIComponent(key), ...(VersionId !== null && { VersionId }) };
    return { service: 's3', operation: 'GetObject', input };
  }
  throw new ServiceNotModelled(`${method} https://${host}${path} ${prefix}.${operation}`);
}

const contentType = ({ service }: AwsRequest): string =>
  `application/x-amz-json-1.${service === 'events' || service === 'kms' ? 1 : 0}`;

export const jsonResponse = (request: AwsRequest, output: object): HttpResponse => ({
  status: 200,
  headers: { 'content-type': contentType(request), 'x-amzn-requestid': 'simulated' },
  body: JSON.stringify(output),
});

export function errorResponse(request: AwsRequest, { status, code, message, more = {} }: AwsError): HttpResponse {
  if (request.service === 's3') {
    const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
    return { status, headers: { 'content-type': 'application/xml' }, body };
  }
  return {
    status,
    headers: { 'content-type': contentType(request), 'x-amzn-requestid': 'simulated' },
    body: JSON.stringify({ __type: code, ...more, message }),
  };
}
