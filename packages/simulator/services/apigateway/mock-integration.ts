import type { JsonObject } from '../../assembly/intrinsics.js';
import { type Context, fillTemplate } from './gateway-responses.js';
import { parseMappingTemplate, type ReadHeader } from './mapping-template.js';
import type { ApiRequest, ApiResponse } from './messages.js';

/** An answer of the gateway itself, to requests of one media type. */
export interface MockIntegration {
  /** @returns the gateway's own answer if no template fits the media type of the request */
  answer(
    headers: ApiRequest['headers'],
    context: Context,
  ): ApiResponse | 'UNSUPPORTED_MEDIA_TYPE' | 'API_CONFIGURATION_ERROR';
}

const JSON_TYPE = 'application/json';
const HEADER = 'method.response.header.';
/** The request template of a mock. The name needs no quotes. LocalStack, `test_integration_mock_with_path_param`. */
const STATUS = /^\s*\{\s*(["']?)statusCode\1\s*:\s*\d{3}\s*\}\s*$/;

/**
 * Creates a MOCK integration with one answer, as CloudFormation accepts it. Amazon API Gateway, "Mock integrations for
 * REST APIs", "Parameter mapping source reference", "Method request behavior for payloads without mapping templates".
 * @throws {Error} if its template has more than that, or something that no deployment accepts
 */
export function buildMockIntegration(label: string, { Integration, MethodResponses }: JsonObject): MockIntegration {
  const { RequestTemplates, PassthroughBehavior, IntegrationResponses } = Integration as JsonObject;
  const requests = (RequestTemplates ?? {}) as Readonly<Record<string, string>>;
  const responses = (IntegrationResponses ?? []) as readonly JsonObject[];
  const [response] = responses;
  // A body that is passed through names no status, which the gateway answers with 500.
  const unfit = PassthroughBehavior === 'NEVER' ? 'UNSUPPORTED_MEDIA_TYPE' : 'API_CONFIGURATION_ERROR';
  if (Object.keys(requests).join() !== JSON_TYPE) throw new Error(`${label}: templates of ${Object.keys(requests)}`);
  if (!response || responses.length > 1 || response.SelectionPattern !== undefined) {
    throw new Error(`${label}: a mock has one answer here`);
  }
  const status = Number(response.StatusCode);
  if (!STATUS.test(requests[JSON_TYPE] ?? '')) throw new Error(`${label}: the mock names no statusCode`);
  const declared = ((MethodResponses ?? []) as readonly JsonObject[]).find((one) => Number(one.StatusCode) === status);
  if (!declared) throw new Error(`${label}: no method response of ${status}`);
  const headers = Object.entries((response.ResponseParameters ?? {}) as Readonly<Record<string, string>>);
  const unknown = headers.filter(([name]) => !Object.hasOwn((declared.ResponseParameters ?? {}) as object, name));
  if (unknown.length > 0) throw new Error(`${label}: the method response lacks ${unknown.map(([name]) => name)}`);
  const template = ((response.ResponseTemplates ?? {}) as Readonly<Record<string, string>>)[JSON_TYPE] ?? '';
  const mapped = parseMappingTemplate(label, template);
  return {
    answer(sent, context) {
      const contentType = findLastHeader(sent, (name) => name.toLowerCase() === 'content-type') ?? JSON_TYPE;
      // Compared literally: AWS doesn't document whether it ignores a charset, and both answers are refusals.
      if (contentType !== JSON_TYPE) return unfit;
      const named = headers.map(([name, value]) => [
        name.slice(HEADER.length).toLowerCase(),
        value.startsWith("'") ? value.slice(1, -1) : fillTemplate(value, context),
      ]);
      const { body, headers: overridden } = mapped(headerReader(sent), context);
      // An answer 204 has no content, whatever the template leaves.
      return { status, headers: { ...Object.fromEntries(named), ...overridden }, body: status === 204 ? '' : body };
    },
  };
}

/** Reads headers as a template does: by the name as it was sent, and the last one of several. */
const headerReader =
  (sent: ApiRequest['headers']): ReadHeader =>
  (name) =>
    findLastHeader(sent, (other) => other === name);

const findLastHeader = (sent: ApiRequest['headers'], isWanted: (name: string) => boolean): string | undefined =>
  Object.entries(sent)
    .filter(([name]) => isWanted(name))
    .flatMap(([, value]) => value)
    .at(-1);
