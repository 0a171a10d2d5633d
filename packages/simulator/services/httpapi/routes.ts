import type { Resource } from '../../assembly/assembly.js';
import type { Json } from '../../assembly/intrinsics.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import { parseFunctionArn, type Route } from '../apigateway/routes.js';

/** Key, and path, of the route that takes what no other route does. */
export const DEFAULT_ROUTE = '$default';

/** A route of an HTTP API. */
export interface HttpRoute extends Route {
  /** `GET /orders/{id}`, or `$default`. */
  readonly key: string;
  readonly backend: { readonly functionArn: string };
  /** One of these scopes is needed; none if it is empty. */
  readonly scopes: readonly string[];
  readonly payloadFormat: '1.0' | '2.0';
}

/** Amazon API Gateway, "Quotas for configuring and running an HTTP API": the longest time of an integration, and the usual one. */
const INTEGRATION_TIMEOUT = 30_000;

/**
 * Returns the routes of an API, those of the most specific path first. Amazon API Gateway, "Create routes for HTTP APIs", "Routing API
 * requests": a full match comes before a greedy parameter, and `$default` is the last one.
 * @param own resources of a type that belong to the API
 */
export function buildRoutes(
  own: (type: string) => readonly Resource[],
  find: (ref: Json | undefined) => Resource,
  met: ObstaclesMet,
): readonly HttpRoute[] {
  const buildRoute = ({ properties }: Resource): HttpRoute => {
    const key = String(properties.RouteKey);
    const [method = '', resource = ''] = key === DEFAULT_ROUTE ? ['ANY', DEFAULT_ROUTE] : key.split(' ');
    const { AuthorizationType = 'NONE', AuthorizerId, Target } = properties;
    if (!['NONE', 'JWT', 'CUSTOM'].includes(String(AuthorizationType)))
      throw new Error(`authorization by ${String(AuthorizationType)}`);
    const [, integration] = /^integrations\/(.+)$/.exec(String(Target)) ?? [];
    if (integration === undefined) throw new Error(`no integration: its target is ${String(Target)}`);
    return {
      key,
      method,
      resource,
      ...readPattern(resource),
      ...readIntegration(find(integration)),
      authorizer: AuthorizationType === 'NONE' ? undefined : find(AuthorizerId),
      scopes: ((properties.AuthorizationScopes ?? []) as readonly Json[]).map(String),
    };
  };
  return own('AWS::ApiGatewayV2::Route')
    .flatMap((route) => met.attempt(route, () => buildRoute(route)) ?? [])
    .sort((one, other) => compare(one, other));
}

/** Finds the route of a request. @param path without its query */
export const findRoute = (routes: readonly HttpRoute[], method: string, path: string): HttpRoute | undefined =>
  routes.find((route) => (route.method === method || route.method === 'ANY') && route.pattern.test(path));

function readPattern(resource: string): Pick<Route, 'pattern' | 'parameters'> {
  if (resource === DEFAULT_ROUTE) return { pattern: /^/, parameters: [] };
  const pattern = resource.replace(/[.*()$^]/g, '\\$&').replace(/\{[\w-]+\+\}$/, '(.+)');
  return {
    pattern: new RegExp(`^${pattern.replace(/\{[\w-]+\}/g, '([^/]+)')}$`),
    parameters: [...resource.matchAll(/\{([\w-]+)\+?\}/g)].map(([, name = '']) => name),
  };
}

function readIntegration({ properties }: Resource): Pick<HttpRoute, 'backend' | 'payloadFormat' | 'timeout'> {
  const { IntegrationType, IntegrationSubtype, IntegrationUri, PayloadFormatVersion, TimeoutInMillis } = properties;
  if (IntegrationType !== 'AWS_PROXY' || IntegrationSubtype !== undefined)
    throw new Error(`integration ${[IntegrationType, IntegrationSubtype ?? []].flat().join(' ')}`);
  const format = String(PayloadFormatVersion);
  if (format !== '1.0' && format !== '2.0') throw new Error(`the payload format ${format}; 1.0 or 2.0 is expected`);
  const uri = String(IntegrationUri);
  return {
    backend: { functionArn: /^arn:[\w-]+:lambda:/.test(uri) ? uri : parseFunctionArn(uri) },
    payloadFormat: format,
    timeout: Number(TimeoutInMillis ?? INTEGRATION_TIMEOUT),
  };
}

/** Orders routes by precedence: names before parameters, those before a greedy one, and a method before `ANY`. */
function compare(one: HttpRoute, other: HttpRoute): number {
  const [a, b] = [one, other].map(({ resource }) => rank(resource)) as [string, string];
  if (a !== b) return a < b ? -1 : 1;
  return Number(one.method === 'ANY') - Number(other.method === 'ANY');
}

/** Text by which paths are ordered: greedy ones are all behind the others, the longer one first. */
function rank(resource: string): string {
  if (resource === DEFAULT_ROUTE) return '3';
  const named = resource.replace(/\{[\w-]+\+\}/g, '~~').replace(/\{[\w-]+\}/g, '~');
  return `${resource.endsWith('+}') ? '2' : '1'}${named}`;
}
