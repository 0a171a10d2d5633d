import type { Resource } from '../assembly/assembly.js';
import type { ApiResponse } from './api-messages.js';

/** `$context` of a request. */
export type Context = Readonly<Record<string, unknown>>;

interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly template: string;
}

/**
 * The answers of a REST API without an integration. Amazon API Gateway, "Gateway response types", "Set up gateway
 * responses".
 */
export class GatewayResponses {
  private readonly responses: ReadonlyMap<string, GatewayResponse>;

  /** @param resources `AWS::ApiGateway::GatewayResponse` of one API */
  constructor(resources: readonly Resource[]) {
    this.responses = new Map(resources.map(gatewayResponse));
  }

  /** @param status used if the template has no answer of that type */
  answer(type: string, status: number, context: Context): ApiResponse {
    const found = this.responses.get(type) ?? this.responses.get(status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX');
    if (!found) return { status, headers: { 'content-type': 'application/json' }, body: '{"message":"Forbidden"}' };
    const headers = Object.entries(found.headers).map(([name, value]) => [
      name.toLowerCase(),
      value.startsWith("'") ? value.slice(1, -1) : filled(value, context),
    ]);
    return { status: found.status, headers: Object.fromEntries(headers), body: filled(found.template, context) };
  }
}

/** Replaces variables in a text with values of `$context`; a missing value becomes empty. */
export const filled = (text: string, context: Context): string =>
  text.replace(/\$?context\.([\w.]+)/g, (_, path: string) =>
    String(path.split('.').reduce<unknown>((at, name) => (at as Context | undefined)?.[name], context) ?? ''),
  );

function gatewayResponse({ properties }: Resource): [string, GatewayResponse] {
  const { ResponseParameters = {}, ResponseTemplates = {}, StatusCode } = properties;
  const headers = Object.entries(ResponseParameters as Record<string, string>).map(([name, value]) => [
    name.replace('gatewayresponse.header.', ''),
    value,
  ]);
  const template = (ResponseTemplates as Record<string, string>)['application/json'] ?? '';
  return [
    String(properties.ResponseType),
    { status: Number(StatusCode), headers: Object.fromEntries(headers), template },
  ];
}
