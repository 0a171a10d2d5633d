import type { HttpRequest, HttpResponse } from '../runtime/http.js';
import { queryErrorCode } from './query.js';
import type { AwsError, Input, WireRequest } from './request.js';

/** Smithy, "AWS JSON 1.0 protocol" and "AWS JSON 1.1 protocol": the operation stands in `X-Amz-Target`. */
export function readJson({ headers, body }: HttpRequest): Pick<WireRequest, 'operation' | 'input'> {
  const target = headers['x-amz-target'] ?? '';
  return {
    operation: target.slice(target.lastIndexOf('.') + 1),
    input: body === '' ? {} : (JSON.parse(body) as Input),
  };
}

export const writeJsonAnswer = ({ protocol }: WireRequest, output: object): HttpResponse => ({
  status: 200,
  headers: headersOf(protocol),
  body: JSON.stringify(output),
});

/**
 * Clients of a service that spoke Query before read its old code and who is to blame from a header. Smithy,
 * "awsQueryCompatible".
 */
export function writeJsonError(
  { protocol, service }: WireRequest,
  { status, code, message, more = {} }: AwsError,
): HttpResponse {
  const type = code.slice(code.indexOf('#') + 1);
  const queryCode = service === 'sqs' ? queryErrorCode(type) : undefined;
  return {
    status,
    headers: {
      ...headersOf(protocol),
      'x-amzn-errortype': type,
      ...(queryCode !== undefined && { 'x-amzn-query-error': `${queryCode};${status < 500 ? 'Sender' : 'Receiver'}` }),
    },
    body: JSON.stringify({ __type: code, ...more, message }),
  };
}

const headersOf = (protocol: WireRequest['protocol']): Record<string, string> => ({
  'content-type': protocol === 'rest-json' ? 'application/json' : `application/x-amz-json-${protocol.slice(-3)}`,
  'x-amzn-requestid': 'simulated',
});
