import { DEFAULT_STAGE, type Endpoint } from '../services/apigateway/endpoint.js';

/** Returns the path below which a local cloud serves an endpoint. @param apis all of them: the first one of a stage has the short path */
export function pathOf(
  { id, stage }: Pick<Endpoint, 'id' | 'stage'>,
  apis: readonly Pick<Endpoint, 'id' | 'stage'>[],
): string {
  if (stage === DEFAULT_STAGE) return `/apis/${id}`;
  const isFirst = apis.find((api) => api.stage === stage)?.id === id;
  return isFirst ? `/${stage}` : `/restapis/${id}/${stage}`;
}

/** An endpoint that a request is for. */
export interface AddressedEndpoint {
  /** Its place among all. */
  readonly number: number;
  /** Path below its stage, with its query. */
  readonly path: string;
}

/**
 * Finds the endpoint of a request: `/<stage>/...` for the first one of that stage, `/restapis/<id>/<stage>/...` for each one with a stage,
 * `/apis/<id>/...` with what stands behind the host in AWS, and the same by the host `<id>.execute-api.localhost` or
 * `<id>.lambda-url.localhost`.
 * @param host of the request, with its port
 */
export function findEndpoint(apis: readonly Endpoint[], url: string, host = ''): AddressedEndpoint | undefined {
  const [, ofHost] = /^([^.]+)\.(?:execute-api|lambda-url)\./i.exec(host) ?? [];
  if (ofHost !== undefined) return findById(apis, ofHost, url);
  const [, ofPath, below = '/'] = /^\/apis\/([^/?]+)(.*)$/.exec(url) ?? [];
  const found = ofPath === undefined ? undefined : findById(apis, ofPath, below);
  if (found) return found;
  const [, id, rest = url] = /^\/restapis\/([^/]+)(\/.*)$/.exec(url) ?? [];
  const [, stage, path = ''] = /^\/([^/?]+)(.*)$/.exec(rest) ?? [];
  const number = apis.findIndex((api) => api.stage === stage && (id === undefined || api.id === id));
  return number < 0 ? undefined : { number, path: withSlash(path) };
}

/** Finds it by its id, as in AWS: the path may begin with a stage, and else is of the stage `$default`. */
function findById(apis: readonly Endpoint[], id: string, url: string): AddressedEndpoint | undefined {
  const isOwn = (api: Endpoint): boolean => api.id.toLowerCase() === id.toLowerCase();
  const [, stage, path = ''] = /^\/([^/?]+)(.*)$/.exec(url) ?? [];
  const named = apis.findIndex((api) => isOwn(api) && api.stage === stage);
  if (named >= 0) return { number: named, path: withSlash(path) };
  const number = apis.findIndex((api) => isOwn(api) && api.stage === DEFAULT_STAGE);
  return number < 0 ? undefined : { number, path: withSlash(url) };
}

const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`);
