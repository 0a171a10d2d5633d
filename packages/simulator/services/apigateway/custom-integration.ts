import type { JsonObject } from '../../assembly/intrinsics.js';
import type { InvocationResult } from '../lambda/model.js';
import type { GatewayResponseType } from './gateway-responses.js';
import type { ApiResponse } from './messages.js';
import { readMappedRequest, readResponses, readSource } from './service-integration.js';
import type { TemplateInput } from './velocity.js';

/** An integration with a function that isn't a proxy: templates make its event and its answer. */
export interface CustomIntegration {
  /** Whether the gateway doesn't wait for the function. */
  isAsync(input: TemplateInput): boolean;
  /** @throws {Error} if a template makes no JSON */
  toEvent(input: TemplateInput): { readonly event: unknown } | GatewayResponseType;
  toResponse(result: InvocationResult | 'accepted', input: TemplateInput): ApiResponse | GatewayResponseType;
}

/** Header by which the gateway asks for an asynchronous invocation. */
const INVOCATION_TYPE = /^integration\.request\.header\.x-amz-invocation-type$/i;
/** Parameters that a function would see. It gets nothing of any other. AWS Lambda API Reference, "Invoke". */
const SEEN = /^integration\.request\.header\.x-amz-client-context$/i;

/**
 * Creates an integration with a function without proxy. Amazon API Gateway, "Set up Lambda custom integrations in API Gateway", "Set up asynchronous
 * invocation of the backend Lambda function", "Handle custom Lambda errors in API Gateway": a pattern is compared with the message of an error, and
 * the answer without a pattern is used if none fits.
 * @throws {Error} if it has more than the model knows
 */
export function buildCustomIntegration(label: string, { Integration, MethodResponses }: JsonObject): CustomIntegration {
  const { Credentials, RequestParameters = {}, ...integration } = Integration as JsonObject;
  if (Credentials !== undefined) throw new Error(`${label}: Credentials of an integration with a function`);
  const parameters = Object.entries(RequestParameters as Readonly<Record<string, string>>);
  const seen = parameters.find(([to]) => SEEN.test(to));
  if (seen) throw new Error(`${label}: the parameter ${seen[0]} isn't modelled`);
  const type = parameters.find(([to]) => INVOCATION_TYPE.test(to))?.[1];
  const readType = type === undefined ? () => undefined : readSource(label, type);
  const read = readMappedRequest(label, integration);
  const respond = readResponses(label, integration, MethodResponses);
  return {
    isAsync: (input) => readType(input) === 'Event',
    toEvent(input) {
      const body = read(input);
      return body === undefined ? 'UNSUPPORTED_MEDIA_TYPE' : { event: JSON.parse(body || '{}') };
    },
    toResponse(result, input) {
      if (result === 'accepted') return respond({ body: '' }, input);
      if (result.kind === 'throttled') return 'INTEGRATION_FAILURE';
      if (result.kind === 'returned') return respond({ body: JSON.stringify(result.value) ?? 'null' }, input);
      const { name: errorType, message: errorMessage } = result;
      return respond({ matched: errorMessage, body: JSON.stringify({ errorMessage, errorType, trace: [] }) }, input);
    },
  };
}
