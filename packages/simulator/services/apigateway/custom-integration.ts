import type { JsonObject } from '../../assembly/intrinsics.js';
import type { InvocationResult } from '../lambda/model.js';
import type { GatewayResponseType } from './gateway-responses.js';
import type { ApiResponse } from './messages.js';
import { readMappedRequest, readResponses } from './service-integration.js';
import type { TemplateInput } from './velocity.js';

/** An integration with a function that isn't a proxy: templates make its event and its answer. */
export interface CustomIntegration {
  /** Whether the gateway doesn't wait for the function. */
  readonly isAsync: boolean;
  /** @throws {Error} if a template makes no JSON */
  toEvent(input: TemplateInput): { readonly event: unknown } | GatewayResponseType;
  toResponse(result: InvocationResult | 'accepted', input: TemplateInput): ApiResponse | GatewayResponseType;
}

/** Header by which the gateway asks for an asynchronous invocation. */
const INVOCATION_TYPE = 'integration.request.header.X-Amz-Invocation-Type';

/**
 * Creates an integration with a function without proxy. Amazon API Gateway, "Set up Lambda custom integrations in API Gateway", "Set up asynchronous
 * invocation of the backend Lambda function", "Handle custom Lambda errors in API Gateway": a pattern is compared with the message of an error, and
 * the answer without a pattern is used if none fits.
 * @throws {Error} if it has more than the model knows
 */
export function buildCustomIntegration(label: string, { Integration, MethodResponses }: JsonObject): CustomIntegration {
  const { Credentials, RequestParameters = {}, ...integration } = Integration as JsonObject;
  if (Credentials !== undefined) throw new Error(`${label}: Credentials of an integration with a function`);
  const { [INVOCATION_TYPE]: type = "'RequestResponse'", ...parameters } = RequestParameters as Readonly<
    Record<string, string>
  >;
  const [unknown] = Object.keys(parameters);
  if (unknown !== undefined || !/^'(Event|RequestResponse)'$/.test(type))
    throw new Error(`${label}: the parameter ${unknown ?? `${INVOCATION_TYPE} from ${type}`} isn't modelled`);
  const read = readMappedRequest(label, integration);
  const respond = readResponses(label, integration, MethodResponses);
  return {
    isAsync: type === "'Event'",
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
