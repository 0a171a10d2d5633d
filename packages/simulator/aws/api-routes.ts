import type { Assembly, Resource } from '../assembly/assembly.js';
import type { JsonObject } from '../assembly/intrinsics.js';
import { type MockIntegration, mockIntegration } from './mock-integration.js';

/** A method of a path, and its integration. */
export interface Route {
  /** `ANY` for all methods for which the resource has no route. */
  readonly method: string;
  readonly resource: string;
  readonly pattern: RegExp;
  readonly parameters: readonly string[];
  readonly backend: { readonly functionArn: string } | { readonly mock: MockIntegration };
  readonly authorizer: Resource | undefined;
}

/** Methods that `ANY` covers. API Gateway, "Methods for REST APIs". */
const METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Returns the methods of an API, those of the most specific path first: a name precedes a parameter in the same place.
 * @param own resources of a type that belong to the API
 */
export function routesOf(own: (type: string) => readonly Resource[], assembly: Assembly): readonly Route[] {
  const resources = new Map(own('AWS::ApiGateway::Resource').map((resource) => [resource.ref, resource]));
  const pathOf = (id: string): string => {
    const resource = resources.get(id);
    return resource ? `${pathOf(String(resource.properties.ParentId))}/${String(resource.properties.PathPart)}` : '';
  };
  return own('AWS::ApiGateway::Method')
    .map(({ properties, label }) => {
      const resource = pathOf(String(properties.ResourceId)) || '/';
      const { AuthorizationType, AuthorizerId } = properties;
      if (AuthorizationType !== 'CUSTOM' && AuthorizationType !== 'NONE')
        throw new Error(`${label}: ${AuthorizationType}`);
      return {
        method: String(properties.HttpMethod),
        resource,
        pattern: new RegExp(`^${resource.replace(/\{\w+\}/g, '([^/]+)')}$`),
        parameters: [...resource.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        backend: backendOf(label, properties),
        authorizer: AuthorizationType === 'CUSTOM' ? assembly.byArn(AuthorizerId) : undefined,
      };
    })
    .sort((one, other) => bySpecificity(one.resource, other.resource));
}

/**
 * Finds a request's route. It selects the path before the method: if that path lacks the method, no other fitting path
 * is used.
 */
export function routeTo(routes: readonly Route[], method: string, path: string): Route | undefined {
  const resource = routes.find(({ pattern }) => pattern.test(path))?.resource;
  const here = routes.filter((route) => route.resource === resource);
  return (
    here.find((route) => route.method === method) ??
    (METHODS.has(method) ? here.find((route) => route.method === 'ANY') : undefined)
  );
}

function backendOf(label: string, properties: JsonObject): Route['backend'] {
  const { Type, Uri, IntegrationHttpMethod } = properties.Integration as Record<string, string | undefined>;
  if (Type === 'MOCK') return { mock: mockIntegration(label, properties) };
  if (Type === 'AWS_PROXY' && IntegrationHttpMethod === 'POST') return { functionArn: functionIn(Uri) };
  throw new Error(`${label}: integration ${Type} by ${IntegrationHttpMethod}`);
}

/** Compares two paths of the same length: the one whose names come first takes precedence. */
function bySpecificity(one: string, other: string): number {
  const [a, b] = [one, other].map((path) => path.replace(/\{\w+\}/g, '~')) as [string, string];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the function in the URI of an integration or authorizer. */
export function functionIn(uri: string | undefined): string {
  const [, found] = /functions\/(arn:[^/]+)\/invocations$/.exec(uri ?? '') ?? [];
  if (found === undefined) throw new Error(`an integration without a function: ${uri}`);
  return found;
}
