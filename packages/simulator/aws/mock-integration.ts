import type { Json, JsonObject } from '../assembly/intrinsics.js';
import type { ApiResponse } from './api-messages.js';
import { type Context, filled } from './gateway-responses.js';

/** An answer of the gateway itself, to requests of one media type. */
export interface MockIntegration {
  /** @param contentType of the request. @returns `undefined` if the gateway refuses it (415) */
  answer(contentType: string | undefined, context: Context): ApiResponse | undefined;
}

const JSON_TYPE = 'application/json';
const HEADER = 'method.response.header.';

/**
 * Creates a MOCK integration with one answer, as CloudFormation accepts it. Amazon API Gateway, "Mock integrations for
 * REST APIs", "Parameter mapping source reference", "Method request behavior for payloads without mapping templates".
 * @throws {Error} if its template has more than that, or something that no deployment accepts
 */
export function mockIntegration(label: string, { Integration, MethodResponses }: JsonObject): MockIntegration {
  const { RequestTemplates, PassthroughBehavior, IntegrationResponses } = Integration as JsonObject;
  const requests = (RequestTemplates ?? {}) as Readonly<Record<string, string>>;
  const responses = (IntegrationResponses ?? []) as readonly JsonObject[];
  const [response] = responses;
  if (PassthroughBehavior !== 'NEVER') throw new Error(`${label}: a mock that passes bodies through isn't modelled`);
  if (Object.keys(requests).join() !== JSON_TYPE) throw new Error(`${label}: templates of ${Object.keys(requests)}`);
  if (!response || responses.length > 1 || response.SelectionPattern !== undefined) {
    throw new Error(`${label}: a mock has one answer here`);
  }
  const { statusCode } = JSON.parse(requests[JSON_TYPE] ?? '') as { statusCode?: Json };
  const status = Number(response.StatusCode);
  if (!Number.isInteger(statusCode)) throw new Error(`${label}: the mock names no statusCode`);
  const declared = ((MethodResponses ?? []) as readonly JsonObject[]).find((one) => Number(one.StatusCode) === status);
  if (!declared) throw new Error(`${label}: no method response of ${status}`);
  const headers = Object.entries((response.ResponseParameters ?? {}) as Readonly<Record<string, string>>);
  const unknown = headers.filter(([name]) => !Object.hasOwn((declared.ResponseParameters ?? {}) as object, name));
  if (unknown.length > 0) throw new Error(`${label}: the method response lacks ${unknown.map(([name]) => name)}`);
  const template = ((response.ResponseTemplates ?? {}) as Readonly<Record<string, string>>)[JSON_TYPE] ?? '';
  return {
    answer(contentType = JSON_TYPE, context) {
      // Compared literally: AWS doesn't document whether it ignores a charset, and both answers are refusals.
      if (contentType !== JSON_TYPE) return undefined;
      const named = headers.map(([name, value]) => [
        name.slice(HEADER.length).toLowerCase(),
        value.startsWith("'") ? value.slice(1, -1) : filled(value, context),
      ]);
      return { status, headers: Object.fromEntries(named), body: filled(template, context) };
    },
  };
}
