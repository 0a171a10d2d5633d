import type { HttpRequest } from '../runtime/http.js';
import { type Input, queryOf, type WireRequest } from './request.js';

/** `GET /2015-03-31/functions/{FunctionName}`, and the operation. */
type Routes = Readonly<Record<string, string>>;

/** AWS Lambda API Reference, EventBridge Scheduler API Reference and Amazon API Gateway REST API Reference, "Actions": the paths of operations. */
const ROUTES: Readonly<Record<string, Routes>> = {
  lambda: {
    'GET /2015-03-31/functions': 'ListFunctions',
    'GET /2015-03-31/functions/{FunctionName}': 'GetFunction',
    'GET /2015-03-31/functions/{FunctionName}/configuration': 'GetFunctionConfiguration',
    'POST /2015-03-31/functions/{FunctionName}/invocations': 'Invoke',
    'GET /2015-03-31/event-source-mappings': 'ListEventSourceMappings',
    'GET /2015-03-31/event-source-mappings/{UUID}': 'GetEventSourceMapping',
    'PUT /2015-03-31/event-source-mappings/{UUID}': 'UpdateEventSourceMapping',
    'GET /2019-09-30/functions/{FunctionName}/concurrency': 'GetFunctionConcurrency',
    'PUT /2017-10-31/functions/{FunctionName}/concurrency': 'PutFunctionConcurrency',
    'DELETE /2017-10-31/functions/{FunctionName}/concurrency': 'DeleteFunctionConcurrency',
  },
  scheduler: {
    'GET /schedules': 'ListSchedules',
    'GET /schedules/{Name}': 'GetSchedule',
    'POST /schedules/{Name}': 'CreateSchedule',
    'PUT /schedules/{Name}': 'UpdateSchedule',
    'DELETE /schedules/{Name}': 'DeleteSchedule',
  },
  apigateway: {
    'GET /restapis': 'GetRestApis',
    'GET /restapis/{restApiId}': 'GetRestApi',
    'GET /restapis/{restApiId}/stages': 'GetStages',
  },
};

/** Operations whose body is the payload itself; their other members are headers. */
const PAYLOADS: Readonly<Record<string, (http: HttpRequest) => Input>> = {
  Invoke: ({ body, headers }) => ({
    Payload: body,
    InvocationType: headers['x-amz-invocation-type'],
    LogType: headers['x-amz-log-type'],
  }),
};

/** Smithy, "AWS REST JSON 1.0 protocol": members stand in the path, behind it, and in the body. */
export function readRestJson(http: HttpRequest, service: string): Pick<WireRequest, 'operation' | 'input'> {
  const path = (http.path.split('?')[0] ?? '').replace(/(?<=.)\/$/, '');
  const parts = [http.method, ...path.split('/').slice(1)];
  for (const [route, operation] of Object.entries(ROUTES[service] ?? {})) {
    const labels = parseLabels(route.replace(' ', '').split('/'), parts);
    if (!labels) continue;
    const body = PAYLOADS[operation]?.(http) ?? (http.body === '' ? {} : (JSON.parse(http.body) as Input));
    return { operation, input: { ...Object.fromEntries(queryOf(http)), ...body, ...labels } };
  }
  return { operation: `${http.method} ${path}`, input: {} };
}

/** Returns the values of a route's labels, or `undefined` if the path isn't of this route. */
function parseLabels(route: readonly string[], parts: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (route.length !== parts.length) return undefined;
  const labels: Record<string, string> = {};
  for (const [at, part] of route.entries()) {
    const found = parts[at] ?? '';
    const [, label] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (label !== undefined) labels[label] = decodeURIComponent(found);
    else if (part !== found) return undefined;
  }
  return labels;
}
