import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import { buildCustomIntegration, type CustomIntegration } from './custom-integration.js';
import type { ApiRequest } from './messages.js';
import { buildMockIntegration, type MockIntegration } from './mock-integration.js';
import { buildRequestChecks, type RequestCheck } from './request-checks.js';
import { buildServiceIntegration, type ServiceIntegration } from './service-integration.js';

/** A method of a path, and its integration. */
export interface Route {
  /** `ANY` for all methods for which the path has no route. */
  readonly method: string;
  /** Path with its parameters: `/orders/{id}`. */
  readonly resource: string;
  readonly pattern: RegExp;
  readonly parameters: readonly string[];
  readonly backend: /** A function, as a proxy unless templates make its event. */
    | { readonly functionArn: string; readonly custom?: CustomIntegration }
    | { readonly mock: MockIntegration }
    | { readonly service: ServiceIntegration };
  readonly authorizer: Resource | undefined;
  /** Milliseconds for which the gateway waits for its function. */
  readonly timeout: number;
}

/** A route of a REST API. */
export interface RestRoute extends Route {
  readonly resourceId: string;
  /** A token of a user pool needs one of these scopes; none if it is empty. */
  readonly scopes: readonly string[];
  /** Checks a request whose caller may send it. */
  readonly check: RequestCheck;
}

/** AWS, "Amazon API Gateway quotas": the integration timeout of a REST API, unless a method sets one. */
const INTEGRATION_TIMEOUT = 29_000;

/** Methods that `ANY` covers. API Gateway, "Methods for REST APIs". */
const METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Returns the methods of an API, those of the most specific path first: a name precedes a parameter in the same place.
 * @param own resources of a type that belong to the API @param stage its name
 */
export function buildRoutes(
  own: (type: string) => readonly Resource[],
  assembly: Assembly,
  stage: string,
  met: ObstaclesMet,
): readonly RestRoute[] {
  const resources = new Map(own('AWS::ApiGateway::Resource').map((resource) => [resource.ref, resource]));
  const resourcePath = (id: string): string => {
    const resource = resources.get(id);
    return resource
      ? `${resourcePath(String(resource.properties.ParentId))}/${String(resource.properties.PathPart)}`
      : '';
  };
  const findAuthorizer = (id: Json | undefined): Resource => {
    const authorizer = assembly.findByArn(id);
    const { Type } = authorizer.properties;
    if (['COGNITO_USER_POOLS', 'REQUEST', 'TOKEN'].includes(String(Type))) return authorizer;
    throw new Error(`its authorizer ${authorizer.label} is of the type ${String(Type)}`);
  };
  const buildRoute = (method: Resource): RestRoute => {
    const { properties, label } = method;
    const resource = resourcePath(String(properties.ResourceId)) || '/';
    const { AuthorizationType, AuthorizerId } = properties;
    if (!['COGNITO_USER_POOLS', 'CUSTOM', 'NONE'].includes(String(AuthorizationType)))
      throw new Error(`${label}: authorization by ${String(AuthorizationType)}`);
    return {
      method: String(properties.HttpMethod),
      resource,
      resourceId: String(properties.ResourceId),
      // A trailing slash belongs to no parameter. The last parameter may be greedy: it takes all that is left.
      pattern: new RegExp(`^${resource.replace(/\{\w+\+\}$/, '(.+?)').replace(/\{\w+\}/g, '([^/]+)')}/?$`),
      parameters: [...resource.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => name),
      backend: parseIntegration(label, properties),
      authorizer: AuthorizationType === 'NONE' ? undefined : findAuthorizer(AuthorizerId),
      check: buildRequestChecks(method, assembly, stage),
      scopes: ((properties.AuthorizationScopes ?? []) as readonly Json[]).map(String),
      timeout: Number((properties.Integration as JsonObject).TimeoutInMillis ?? INTEGRATION_TIMEOUT),
    };
  };
  return own('AWS::ApiGateway::Method')
    .flatMap((method) => met.attempt(method, () => buildRoute(method)) ?? [])
    .sort((one, other) => bySpecificity(one.resource, other.resource));
}

/**
 * Finds a request's route. It selects the path before the method: if that path lacks the method, no other fitting path
 * is used but one with a greedy parameter. LocalStack, `test_proxy_routing_with_hardcoded_resource_sibling`, recorded at
 * AWS.
 */
export function findRoute(routes: readonly RestRoute[], method: string, path: string): RestRoute | undefined {
  const fitting = routes.filter(({ pattern }) => pattern.test(path));
  const first = fitting.find((route) => !isGreedy(route.resource))?.resource;
  const here = fitting.filter(({ resource }) => resource === first);
  return (
    methodOf(here, method) ??
    methodOf(
      fitting.filter(({ resource }) => isGreedy(resource)),
      method,
    )
  );
}

const methodOf = (routes: readonly RestRoute[], method: string): RestRoute | undefined =>
  routes.find((route) => route.method === method) ??
  (METHODS.has(method) ? routes.find((route) => route.method === 'ANY') : undefined);

const isGreedy = (resource: string): boolean => resource.endsWith('+}');

/** Returns the path of a request without its query; slashes before it count as one. */
export const normalizePath = ({ path }: Pick<ApiRequest, 'path'>): string =>
  (path.split('?')[0] ?? '').replace(/^\/*/, '/');

function parseIntegration(label: string, properties: JsonObject): Route['backend'] {
  const { Type, Uri, IntegrationHttpMethod } = properties.Integration as Record<string, string | undefined>;
  const { Credentials, RequestParameters } = properties.Integration as JsonObject;
  if (Type !== 'AWS' && (Credentials ?? RequestParameters) !== undefined)
    throw new Error(`${label}: Credentials and RequestParameters of an integration ${Type}`);
  if (Type === 'MOCK') return { mock: buildMockIntegration(label, properties) };
  if (Type === 'AWS_PROXY' && IntegrationHttpMethod === 'POST') return { functionArn: parseFunctionArn(Uri) };
  if (Type === 'AWS' && INVOCATION.test(Uri ?? ''))
    return { functionArn: parseFunctionArn(Uri), custom: buildCustomIntegration(label, properties) };
  if (Type === 'AWS' && IntegrationHttpMethod === 'POST')
    return { service: buildServiceIntegration(label, properties) };
  throw new Error(`${label}: integration ${Type} by ${IntegrationHttpMethod}`);
}

/** Compares two paths of the same length: the one whose names come first takes precedence. */
function bySpecificity(one: string, other: string): number {
  const [a, b] = [one, other].map((path) => path.replace(/\{\w+\+?\}/g, '~')) as [string, string];
  return a < b ? -1 : a > b ? 1 : 0;
}

const INVOCATION = /^arn:[\w-]+:apigateway:[\w-]+:lambda:path\/2015-03-31\/functions\/(arn:[^/]+)\/invocations$/;

/** Returns the function in the URI of an integration or authorizer. */
export function parseFunctionArn(uri: string | undefined): string {
  const [, found] = INVOCATION.exec(uri ?? '') ?? [];
  if (found === undefined) throw new Error(`an integration without a function: ${uri}`);
  return found;
}
