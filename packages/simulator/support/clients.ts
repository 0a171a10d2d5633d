import { Readable } from 'node:stream';
import { AwsApi } from '../cloud/aws-api.js';
import type { Cloud } from '../cloud/cloud.js';
import { bodyBytes, type HttpRequest, type HttpResponse, toBody } from '../runtime/http.js';

/** A request as the SDK hands it to its HTTP handler. */
export interface SdkRequest {
  readonly method: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * A client of the SDK and of plain HTTP for a cloud, and what the latter couldn't answer.
 * @param lets the world run for an answer. @default until it settles
 */
export function awsApiOf(cloud: Cloud, lets = async (_answered: Promise<unknown>) => cloud.world.settle()) {
  const unknown: string[] = [];
  const aws = new AwsApi(cloud, { unknown: (line) => unknown.push(line) });
  const answer = async (request: HttpRequest): Promise<HttpResponse> => {
    const answered = aws.answer(request);
    await lets(answered);
    return answered;
  };
  const handle = async (request: SdkRequest) => {
    const { status, headers, ...body } = await answer(toHttpRequest(request));
    return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(bodyBytes(body))]) } };
  };
  return {
    aws,
    unknown,
    answer,
    /** Settings of an SDK's client: its requests are answered in process, while the world runs. */
    config: {
      region: 'eu-west-1',
      endpoint: 'http://127.0.0.1:4566',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: { handle },
    },
  };
}

export function toHttpRequest({
  method,
  hostname,
  port,
  path,
  query = {},
  headers,
  body = '',
}: SdkRequest): HttpRequest {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) parameters.append(name, one);
  }
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method,
    host: port === undefined ? hostname : `${hostname}:${port}`,
    path: parameters.size > 0 ? `${path}?${parameters}` : path,
    headers: Object.fromEntries(lower),
    ...(typeof body === 'string' ? { body } : toBody(body)),
  };
}

/** Returns a function that calls an operation of Cognito user pools. It gives the output, or the error in a text. */
export function callPool(cloud: Cloud) {
  const { answer } = awsApiOf(cloud);
  return async (operation: string, input: object) => {
    const { status, body } = await answer({
      method: 'POST',
      host: 'cognito-idp.eu-west-1.amazonaws.com',
      path: '/',
      headers: { 'x-amz-target': `AWSCognitoIdentityProviderService.${operation}` },
      body: JSON.stringify(input),
    });
    const parsed = JSON.parse(body);
    return status === 200 ? parsed : `${parsed.__type.replace(/^.*#/, '')}: ${parsed.message ?? parsed.Message}`;
  };
}
