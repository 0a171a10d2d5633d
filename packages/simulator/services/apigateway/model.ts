import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import { countByMinute } from '../../engine/count-by-minute.js';
import type { EventLoop } from '../../engine/event-loop.js';
import type { Iam } from '../iam/model.js';
import type { InvocationResult, LambdaFunction } from '../lambda/model.js';
import { type Authorization, Authorizers } from './authorizers.js';
import { type Context, GatewayResponses, type GatewayResponseType } from './gateway-responses.js';
import type { ApiRequest, ApiResponse } from './messages.js';
import { buildProxyEvent, type ProxyEvent, parseProxyResponse } from './proxy.js';
import { buildRoutes, findRoute, normalizePath, parseFunctionArn, type Route } from './routes.js';
import { Throttling } from './throttling.js';

/** AWS, "Amazon API Gateway quotas": the maximum payload of a REST API. */
const MAX_PAYLOAD = 10 * 1024 * 1024;
/** Answer to a path that can't be decoded. It is refused in front of the API, so gateway responses don't apply. */
const BAD_REQUEST: ApiResponse = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Bad Request"}',
};

/** Requests of one route. */
interface RouteTraffic {
  /** Requests that wait for their answer. */
  running: number;
  /** Requests that were answered with a status of 500 or more, by the minute in which they came. */
  readonly failedAt: Map<number, number>;
}

/**
 * A REST API with Lambda proxy and mock integrations and a REQUEST authorizer. AWS, "Lambda proxy integrations in API Gateway",
 * "Use API Gateway Lambda authorizers".
 */
export class RestApi {
  readonly routes: readonly Route[];
  private readonly answers: GatewayResponses;
  private readonly throttling: Throttling;
  private readonly authorizers: Authorizers;
  readonly stage: string;
  /** Requests that it has got. */
  requests = 0;
  /** Traffic of each route that was called, by its name: `POST /orders`. */
  readonly traffic = new Map<string, RouteTraffic>();
  private readonly deploymentId: string;

  constructor(
    private readonly api: Resource,
    private readonly assembly: Assembly,
    private readonly around: {
      readonly world: EventLoop;
      readonly iam: Iam;
      readonly functions: ReadonlyMap<string, LambdaFunction>;
      /** @see Load.apiShare */
      readonly share?: number | undefined;
      /** Gets the methods that have no model. */
      readonly met: ObstaclesMet;
    },
  ) {
    const own = (type: string): readonly Resource[] =>
      assembly.findByType(type).filter(({ properties }) => properties.RestApiId === api.ref);
    const [stage] = own('AWS::ApiGateway::Stage');
    if (!stage) throw new Error(`${api.label} has no stage`);
    this.stage = String(stage.properties.StageName);
    this.deploymentId = String(stage.properties.DeploymentId ?? 'simulated');
    this.throttling = new Throttling(stage, around.share);
    this.routes = buildRoutes(own, assembly, around.met);
    this.authorizers = new Authorizers(
      () => around.world.now,
      ({ ref, properties }, input, done) => {
        const source = assembly.home.arn('execute-api', `${api.ref}/authorizers/${ref}`);
        this.call(parseFunctionArn(String(properties.AuthorizerUri)), source, input, done);
      },
    );
    this.answers = new GatewayResponses(own('AWS::ApiGateway::GatewayResponse'));
  }

  /** Its id, as in its address. */
  get id(): string {
    return this.api.ref;
  }

  /** Path of its construct. */
  get label(): string {
    return this.api.label;
  }

  /** ARNs of the functions that answer its requests, or decide who may send them. */
  get functionArns(): ReadonlySet<string> {
    return new Set(
      this.routes.flatMap(({ authorizer, backend }) => [
        ...(authorizer ? [parseFunctionArn(String(authorizer.properties.AuthorizerUri))] : []),
        ...('functionArn' in backend ? [backend.functionArn] : []),
      ]),
    );
  }

  /** @param done called once */
  request(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { world } = this.around;
    this.requests++;
    const context: Context = { requestId: world.random.id() };
    const path = normalizePath(request);
    let answer = (response: ApiResponse): void => {
      const sent = request.method === 'HEAD' ? { ...response, body: '' } : response;
      world.after(gatewayLatency(world), () => done(sent));
    };
    if (!canBeDecoded(path)) {
      answer(BAD_REQUEST);
      return;
    }
    const route = findRoute(this.routes, request.method, path);
    if (route) answer = this.counted(`${route.method} ${route.resource}`, answer);
    const refuse = (type: GatewayResponseType, more: Context = {}): void =>
      answer(this.answers.answer(type, { ...context, ...more }));
    if (!route) {
      refuse('MISSING_AUTHENTICATION_TOKEN');
      return;
    }
    if (!this.throttling.passes(`${route.method} ${route.resource}`, world.now)) {
      refuse('THROTTLED');
      return;
    }
    if (Buffer.byteLength(request.body ?? '') > MAX_PAYLOAD) {
      refuse('REQUEST_TOO_LARGE');
      return;
    }
    const place = {
      apiId: this.api.ref,
      deploymentId: this.deploymentId,
      stage: this.stage,
      requestId: String(context.requestId),
      now: world.now,
      home: this.assembly.home,
    };
    const event = buildProxyEvent(place, route, request);
    world.after(gatewayLatency(world), () => {
      this.authorize(route, request, event, (outcome) => {
        if (outcome.kind === 'refused') return refuse(outcome.type);
        if (outcome.kind === 'denied') return refuse('ACCESS_DENIED', { authorizer: outcome.context });
        if ('mock' in route.backend) {
          const response = route.backend.mock.answer(request.headers, { ...context, authorizer: outcome.context });
          return typeof response === 'string' ? refuse(response) : answer(response);
        }
        const { functionArn } = route.backend;
        const requestContext = { ...event.requestContext, ...(outcome.context && { authorizer: outcome.context }) };
        this.integrate(route, functionArn, { ...event, requestContext }, (result) => {
          const authorizer = { authorizer: outcome.context };
          if (result === 'timeout') return refuse('INTEGRATION_TIMEOUT', authorizer);
          if (result === 'forbidden') return refuse('API_CONFIGURATION_ERROR', authorizer);
          if (result.kind === 'throttled') return refuse('INTEGRATION_FAILURE', authorizer);
          // A function that fails and one whose answer has a wrong form are the same for the gateway: 502.
          const response = result.kind === 'returned' ? parseProxyResponse(result.value) : undefined;
          if (!response) return refuse('DEFAULT_5XX', authorizer);
          answer(response);
        });
      });
    });
  }

  /** Counts a request of a route until it is answered. @returns the same answer, counted */
  private counted(route: string, answer: (response: ApiResponse) => void): (response: ApiResponse) => void {
    const { now } = this.around.world;
    const traffic = this.traffic.get(route) ?? { running: 0, failedAt: new Map() };
    this.traffic.set(route, traffic);
    traffic.running++;
    return (response) => {
      traffic.running--;
      if (response.status >= 500) countByMinute(traffic.failedAt, now);
      answer(response);
    };
  }

  private authorize(
    { authorizer }: Route,
    request: ApiRequest,
    event: ProxyEvent,
    done: (authorization: Authorization) => void,
  ): void {
    if (!authorizer) {
      done({ kind: 'allowed' });
      return;
    }
    const methodArn = this.assembly.home.arn(
      'execute-api',
      `${this.api.ref}/${this.stage}/${request.method}${event.path}`,
    );
    this.authorizers.decide(authorizer, request, event, methodArn, done);
  }

  private integrate(
    route: Route,
    functionArn: string,
    event: ProxyEvent,
    done: (result: InvocationResult | 'forbidden' | 'timeout') => void,
  ): void {
    let over = false;
    const { world } = this.around;
    const finish = (result: InvocationResult | 'forbidden' | 'timeout'): void => {
      if (over) return;
      over = true;
      limit.cancel();
      done(result);
    };
    const limit = world.after(route.timeout, () => finish('timeout'));
    const source = this.assembly.home.arn(
      'execute-api',
      `${this.api.ref}/${this.stage}/${route.method}${route.resource.replace(/\{\w+\+?\}/g, 'x')}`,
    );
    this.call(functionArn, source, event, finish);
  }

  /** Invokes a function if its policy allows this API to do so. */
  private call(
    functionArn: string,
    SourceArn: string,
    event: object,
    done: (result: InvocationResult | 'forbidden') => void,
  ): void {
    const { iam, functions, world } = this.around;
    const access = {
      action: 'lambda:InvokeFunction',
      resource: functionArn,
      context: { 'aws:SourceArn': SourceArn },
      service: 'apigateway.amazonaws.com',
    };
    const fn = functions.get(functionArn);
    if (!fn || !iam.resourceAllows(functionArn, access)) {
      world.after(1, () => done('forbidden'));
      return;
    }
    fn.invoke(event, done);
  }
}

/** Milliseconds that a request or an answer takes through the gateway. */
const gatewayLatency = (world: EventLoop): number => world.latency((random) => random.between(2, 15));

function canBeDecoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
