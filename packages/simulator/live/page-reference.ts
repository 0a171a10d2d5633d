import { existsSync, readFileSync } from 'node:fs';
import type { DeployedEvent, DeployedRoute, EventFacts, Reference, SendAnswer, SendRequest } from '@orderly/console';
import type { Cloud } from '../cloud/cloud.js';
import type { Pattern } from '../patterns/compile.js';
import { matches } from '../patterns/matches.js';
import type { LiveCloud } from './live-cloud.js';
import { mapOf } from './page-map.js';
import { namesIn } from './page-map-edges.js';
import { PageRefused } from './page-refused.js';

/** Somebody in whose name a page may send requests to the app's API. */
export interface PageCaller {
  readonly id: string;
  /** Text for people: `alice, a customer`. */
  readonly label: string;
  /** Makes a token. @param ahead milliseconds that the cloud's clock is ahead of the machine's */
  readonly token: (ahead: number) => string;
}

/** Files that describe an app, in JSON. */
export interface PageDocuments {
  /** Of the OpenAPI Specification 3.1. */
  readonly openapi?: string;
  /** Of the AsyncAPI Specification 3.0. */
  readonly asyncapi?: string;
}

/** Reads a document with each request. An app without it has an empty one. */
export function readDocument(file: string | undefined): object {
  return file === undefined || !existsSync(file) ? {} : (JSON.parse(readFileSync(file, 'utf8')) as object);
}

/** Lists the routes, and the events that rules wait for or that buses have taken. */
export function referenceOf(cloud: Cloud, callers: readonly PageCaller[]): Reference {
  const routes = cloud.apis.flatMap((api, number) =>
    api.routes.flatMap(({ method, resource, backend }): readonly DeployedRoute[] => {
      if ('mock' in backend && /^(ANY|OPTIONS)$/.test(method)) return [];
      const fn = 'functionArn' in backend ? cloud.functions.get(backend.functionArn)?.label : undefined;
      return [{ api: number, stage: api.stage, method, path: resource, ...(fn !== undefined && { function: fn }) }];
    }),
  );
  const events = new Map<string, DeployedEvent>();
  const add = (source: string, type: string): unknown => events.set(`${source} ${type}`, { source, type });
  for (const { pattern } of cloud.events.rules.list()) {
    const { sources, types } = namesIn(pattern);
    for (const source of sources) for (const type of types) add(source, type);
  }
  for (const { event } of cloud.events.accepted) add(event.source, event['detail-type']);
  return {
    routes,
    events: [...events.values()].sort(
      (one, other) => one.source.localeCompare(other.source) || one.type.localeCompare(other.type),
    ),
    callers: callers.map(({ id, label }) => ({ id, label })),
  };
}

/** Says who publishes an event, who gets it, and what the newest one was. */
export function eventFacts(cloud: Cloud, source: string, type: string): EventFacts {
  const { edges, nodes } = mapOf(cloud);
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const found = cloud.events.accepted.findLast(({ event }) => event.source === source && event['detail-type'] === type);
  const producers = edges.filter(({ kind, sources }) => kind === 'publishes' && (sources?.includes(source) ?? true));
  const delivered = edges.flatMap(({ kind, rules = [], to }) => {
    const rule = kind === 'delivers' && rules.find(({ label }) => gets(cloud, label, { source, type }, found?.event));
    return rule ? [{ rule: rule.label, to }] : [];
  });
  const consumers = delivered.map(({ rule, to }) => {
    const consumed = edges.find((edge) => edge.kind === 'consumes' && edge.from === to);
    const fn = consumed && labels.get(consumed.to);
    return { rule, target: labels.get(to) ?? to, ...(fn !== undefined && { function: fn }) };
  });
  return {
    producers: producers.map(({ from }) => labels.get(from) ?? from),
    consumers,
    ...(found && { last: { at: new Date(found.at).toISOString(), event: found.event } }),
  };
}

/** Whether a rule waits for an event: its pattern names the source and the type, or the newest one fits. */
function gets(cloud: Cloud, rule: string, { source, type }: DeployedEvent, newest: object | undefined): boolean {
  const { pattern } = cloud.events.rules.list().find(({ resource }) => resource.label === rule) ?? {};
  const { sources, types } = namesIn(pattern);
  if (sources.includes(source) && (types.includes(type) || pattern?.['detail-type'] === undefined)) return true;
  return pattern !== undefined && newest !== undefined && matches(pattern as Pattern, newest);
}

/**
 * Sends a request to the app's API, with the token of a caller, which the page itself never sees.
 * @throws {PageRefused} if it is malformed, or there is no such API or caller
 */
export async function sendRequest(
  live: LiveCloud,
  callers: readonly PageCaller[],
  given: Partial<SendRequest>,
): Promise<SendAnswer> {
  const { api = 0, method, path, headers = {}, body, as } = given;
  if (typeof method !== 'string' || !/^[A-Z]+$/.test(method))
    throw new PageRefused(400, `method: '${String(method)}' is none; GET, POST, PUT, PATCH or DELETE was expected`);
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw new PageRefused(400, `path: '${String(path)}' is none; a path of the API was expected, such as /orders`);
  if (!live.cloud.apis[api])
    throw new PageRefused(400, `api: there are ${live.cloud.apis.length} APIs, and no number ${String(api)}`);
  const caller = callers.find(({ id }) => id === as);
  if (as !== undefined && !caller)
    throw new PageRefused(400, `as: there is no caller '${as}'; there are: ${callers.map(({ id }) => id).join(', ')}`);
  const began = Date.now();
  const authorization = caller && { authorization: `Bearer ${caller.token(live.now - began)}` };
  const answer = await live.request(
    { method, path, headers: { ...headers, ...authorization }, ...(body !== undefined && { body }) },
    api,
  );
  return {
    status: answer.status,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    body: answer.body,
    ms: Date.now() - began,
  };
}
