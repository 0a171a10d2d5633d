import type { AccountAndRegion } from '../../assembly/identity.js';
import { countByMinute } from '../../engine/count-by-minute.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { Iam } from '../iam/model.js';
import type { InvocationResult, LambdaFunction } from '../lambda/model.js';
import type { ApiRequest, ApiResponse } from './messages.js';
import type { Route } from './routes.js';

/** Name of a stage that is no part of the address of its API. */
export const DEFAULT_STAGE = '$default';

/** An address that answers HTTP requests: a REST API, a stage of an HTTP API, or a function's own. */
export interface Endpoint {
  /** Its id, as in its host name. */
  readonly id: string;
  /** Path of its construct. */
  readonly label: string;
  /** Name of its stack. */
  readonly stack: string;
  /** `$default` if its address has none. */
  readonly stage: string;
  readonly routes: readonly Route[];
  /** ARNs of the functions that answer its requests, or decide who may send them. */
  readonly functionArns: ReadonlySet<string>;
  /** Requests that it has got. */
  readonly requests: number;
  /** Traffic of each route that was called, by its name: `POST /orders`. */
  readonly traffic: ReadonlyMap<string, RouteTraffic>;
  /** Finds the route of a request. @param path with its query */
  findRoute(method: string, path: string): Route | undefined;
  /** @param done called once */
  request(request: ApiRequest, done: (response: ApiResponse) => void): void;
}

/** Requests of one route. */
export interface RouteTraffic {
  /** Requests that wait for their answer. */
  running: number;
  /** Requests that were answered with a status of 500 or more, by the minute in which they came. */
  readonly failedAt: Map<number, number>;
}

/** Parts of an account that its endpoints need. */
export interface Surroundings {
  readonly world: EventLoop;
  readonly iam: Iam;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
}

/** Counts a request of a route until it is answered. @returns the same answer, counted */
export function countRequest(
  world: EventLoop,
  all: Map<string, RouteTraffic>,
  route: string,
  answer: (response: ApiResponse) => void,
): (response: ApiResponse) => void {
  const { now } = world;
  const traffic = all.get(route) ?? { running: 0, failedAt: new Map() };
  all.set(route, traffic);
  traffic.running++;
  return (response) => {
    traffic.running--;
    if (response.status >= 500) countByMinute(traffic.failedAt, now);
    answer(response);
  };
}

/** Tells whether a function's policy allows the API to invoke it. @param SourceArn of the route or authorizer that does it */
export function mayInvoke({ iam, functions, world }: Surroundings, functionArn: string, SourceArn: string): boolean {
  const access = {
    action: 'lambda:InvokeFunction',
    resource: functionArn,
    context: { 'aws:SourceArn': SourceArn },
    service: 'apigateway.amazonaws.com',
  };
  const fn = functions.get(functionArn);
  if (fn && iam.resourceAllows(functionArn, access)) return true;
  const why = fn ? `no permission of ${fn.label} is for ${SourceArn}` : 'there is no such function';
  world.note(`DENIED lambda:InvokeFunction on ${functionArn} for apigateway.amazonaws.com: ${why}`);
  return false;
}

/** Invokes a function if its policy allows the API to do so. @param SourceArn of the route or authorizer that does it */
export function callFunction(
  around: Surroundings,
  functionArn: string,
  SourceArn: string,
  event: unknown,
  done: (result: InvocationResult | 'forbidden') => void,
): void {
  if (mayInvoke(around, functionArn, SourceArn)) around.functions.get(functionArn)?.invoke(event, done);
  else around.world.after(1, () => done('forbidden'));
}

/** Waits for a result until a time limit, in milliseconds. @param done called once @returns takes the result */
export function withinLimit<Result>(
  world: EventLoop,
  milliseconds: number,
  done: (result: Result | 'timeout') => void,
): (result: Result) => void {
  let over = false;
  const finish = (result: Result | 'timeout'): void => {
    if (over) return;
    over = true;
    limit.cancel();
    done(result);
  };
  const limit = world.after(milliseconds, () => finish('timeout'));
  return finish;
}

/** Sends an answer on its way to the client. One to HEAD has no body. */
export function sendAnswer(
  world: EventLoop,
  { method }: ApiRequest,
  done: (response: ApiResponse) => void,
): (response: ApiResponse) => void {
  return (response) => {
    const { bytes: _, ...head } = response;
    const sent = method === 'HEAD' ? { ...head, body: '' } : response;
    world.after(gatewayLatency(world), () => done(sent));
  };
}

/** Returns the milliseconds that a request or an answer takes through the gateway. */
export const gatewayLatency = (world: EventLoop): number => world.latency((random) => random.between(2, 15));

/** Returns the ARN by which policies of functions know a part of an API. @param part `<stage>/GET/orders`, `authorizers/<id>` */
export const executeApiArn = (home: AccountAndRegion, apiId: string, part: string): string =>
  home.arn('execute-api', `${apiId}/${part}`);

/** Whether each escape of a path stands for a character. */
export function canBeDecoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
