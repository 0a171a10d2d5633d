import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { startSpan } from '../aws/spans.js';
import { headerReader } from './headers.js';

type Handler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

const NAME = 'traceparent';

/**
 * Adds the span of each request to a handler. The handler finds the span's context in the header `traceparent`, as if the caller
 * had sent it: so its commits are the span's children.
 */
export const withRequestSpan =
  (handle: Handler): Handler =>
  async (event) => {
    const span = startSpan(headerReader(event)(NAME));
    const result = await handle(withHeader(event, span.traceparent));
    const { statusCode: status, headers = {} } = result;
    const correlationId = headers['X-Correlation-Id'];
    span.end('request', {
      method: event.httpMethod,
      route: event.resource,
      status,
      ...(correlationId !== undefined && { correlationId: String(correlationId) }),
      ...(status >= 500 && { error: String(status) }),
    });
    return result;
  };

/** Sets a header in the place of all of its spellings. */
function withHeader(event: APIGatewayProxyEvent, value: string): APIGatewayProxyEvent {
  const others = <Value>(headers: Record<string, Value> | null | undefined): Record<string, Value> =>
    Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== NAME));
  return {
    ...event,
    headers: { ...others(event.headers), [NAME]: value },
    ...(event.multiValueHeaders && { multiValueHeaders: { ...others(event.multiValueHeaders), [NAME]: [value] } }),
  };
}
