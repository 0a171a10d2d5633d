import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import type { AsyncInvoker } from '../events/model.js';
import type { InvocationResult } from '../lambda/model.js';
import { type Authorization, Authorizers } from './authorizers.js';
import { authorizeByPool, type FindPool } from './cognito-authorizer.js';
import type { CustomIntegration } from './custom-integration.js';
import {
  callFunction,
  canBeDecoded,
  countRequest,
  type Endpoint,
  executeApiArn,
  gatewayLatency,
  mayInvoke,
  type RouteTraffic,
  type Surroundings,
  sendAnswer,
  withinLimit,
} from './endpoint.js';
import { type Context, GatewayResponses, type GatewayResponseType } from './gateway-responses.js';
import type { ApiRequest, ApiResponse } from './messages.js';
import { buildProxyEvent, type ProxyEvent, parseProxyResponse } from './proxy.js';
import { buildRoutes, findRoute, normalizePath, parseFunctionArn, type RestRoute } from './routes.js';
import type { ServiceSurroundings } from './service-integration.js';
import { readMethodSettings, Throttling } from './throttling.js';
import { runTemplates, type TemplateInput } from './velocity.js';

/** AWS, "Amazon API Gateway quotas": the maximum payload of a REST API. */
const MAX_PAYLOAD = 10 * 1024 * 1024;
/** Answer to a path that can't be decoded. It is refused in front of the API, so gateway responses don't apply. */
const BAD_REQUEST: ApiResponse = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Bad Request"}',
};

/**
 * A REST API: functions, as proxies or behind templates, services and mocks, and authorizers. AWS, "Lambda proxy integrations in API Gateway",
 * "Use API Gateway Lambda authorizers".
 */
export class RestApi implements Endpoint {
  readonly routes: readonly RestRoute[];
  private readonly answers: GatewayResponses;
  private readonly throttling: Throttling;
  private readonly authorizers: Authorizers;
  readonly stage: string;
  requests = 0;
  private calls = 0;
  readonly traffic = new Map<string, RouteTraffic>();
  private readonly deploymentId: string;

  constructor(
    private readonly api: Resource,
    private readonly assembly: Assembly,
    private readonly around: Surroundings &
      ServiceSurroundings & {
        /** @see Load.apiShare */
        readonly share?: number | undefined;
        readonly findPool: FindPool;
        readonly asynchronous: AsyncInvoker;
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
    this.throttling = new Throttling(readMethodSettings(stage), around.share);
    this.routes = buildRoutes(own, assembly, this.stage, around.met);
    this.authorizers = new Authorizers(
      () => around.world.now,
      ({ ref, properties }, input, done) => {
        const source = executeApiArn(assembly.home, api.ref, `authorizers/${ref}`);
        callFunction(around, parseFunctionArn(String(properties.AuthorizerUri)), source, input, done);
      },
    );
    this.answers = new GatewayResponses(own('AWS::ApiGateway::GatewayResponse'));
  }

  get id(): string {
    return this.api.ref;
  }

  get label(): string {
    return this.api.label;
  }

  get stack(): string {
    return this.api.stack;
  }

  get functionArns(): ReadonlySet<string> {
    return new Set(
      this.routes.flatMap(({ authorizer, backend }) => [
        ...(authorizer?.properties.AuthorizerUri === undefined
          ? []
          : [parseFunctionArn(String(authorizer.properties.AuthorizerUri))]),
        ...('functionArn' in backend ? [backend.functionArn] : []),
      ]),
    );
  }

  findRoute(method: string, path: string): RestRoute | undefined {
    return findRoute(this.routes, method, normalizePath({ path }));
  }

  request(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { world } = this.around;
    this.requests++;
    const context: Context = { requestId: world.random.id() };
    const path = normalizePath(request);
    let answer = sendAnswer(world, request, done);
    if (!canBeDecoded(path)) {
      answer(BAD_REQUEST);
      return;
    }
    const route = findRoute(this.routes, request.method, path);
    if (route) answer = countRequest(world, this.traffic, `${route.method} ${route.resource}`, answer);
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
        const flaw = route.check(event);
        if (flaw) return answer(this.answers.answer(flaw.type, { ...context, authorizer: outcome.context }, flaw));
        if ('mock' in route.backend) {
          const response = route.backend.mock.answer(request.headers, { ...context, authorizer: outcome.context });
          return typeof response === 'string' ? refuse(response) : answer(response);
        }
        if ('service' in route.backend) {
          const input = toTemplateInput(event, { ...event.requestContext, authorizer: outcome.context });
          const point = `${this.api.label} call ${++this.calls}`;
          route.backend.service.run(input, point, this.around, (response) =>
            typeof response === 'string' ? refuse(response) : answer(response),
          );
          return;
        }
        const requestContext = { ...event.requestContext, ...(outcome.context && { authorizer: outcome.context }) };
        const take = (response: ApiResponse | GatewayResponseType): void =>
          typeof response === 'string' ? refuse(response, { authorizer: outcome.context }) : answer(response);
        const { functionArn, custom } = route.backend;
        if (custom) this.callCustom(route, functionArn, custom, toTemplateInput(event, requestContext), take);
        else this.callProxy(route, functionArn, { ...event, requestContext }, take);
      });
    });
  }

  private callProxy(
    route: RestRoute,
    functionArn: string,
    event: ProxyEvent,
    done: (response: ApiResponse | GatewayResponseType) => void,
  ): void {
    this.integrate(route, functionArn, event, (result) => {
      if (typeof result === 'string') return done(NO_RESULT[result]);
      if (result.kind === 'throttled') return done('INTEGRATION_FAILURE');
      // A function that fails and one whose answer has a wrong form are the same for the gateway: 502.
      const response = result.kind === 'returned' ? parseProxyResponse(result.value) : undefined;
      done(response ?? 'DEFAULT_5XX');
    });
  }

  private callCustom(
    route: RestRoute,
    functionArn: string,
    custom: CustomIntegration,
    input: TemplateInput,
    done: (response: ApiResponse | GatewayResponseType) => void,
  ): void {
    const made = runTemplates(this.around, `the event of ${route.resource}`, () => custom.toEvent(input));
    if (typeof made === 'string') {
      done(made);
      return;
    }
    const { event } = made;
    const finish = (result: InvocationResult | 'accepted' | 'forbidden' | 'timeout'): void => {
      const answer = (): ApiResponse | GatewayResponseType =>
        result === 'forbidden' || result === 'timeout' ? NO_RESULT[result] : custom.toResponse(result, input);
      done(runTemplates(this.around, `the answer of ${route.resource}`, answer));
    };
    if (custom.isAsync(input)) this.callLater(route, functionArn, event, finish);
    else this.integrate(route, functionArn, event, finish);
  }

  private authorize(
    { authorizer, scopes }: RestRoute,
    request: ApiRequest,
    event: ProxyEvent,
    done: (authorization: Authorization) => void,
  ): void {
    if (!authorizer) {
      done({ kind: 'allowed' });
      return;
    }
    if (authorizer.properties.Type === 'COGNITO_USER_POOLS') {
      done(authorizeByPool(authorizer, request, scopes, this.around.findPool));
      return;
    }
    const methodArn = executeApiArn(this.assembly.home, this.api.ref, `${this.stage}/${request.method}${event.path}`);
    this.authorizers.decide(authorizer, request, event, methodArn, done);
  }

  private integrate(
    route: RestRoute,
    functionArn: string,
    event: unknown,
    done: (result: InvocationResult | 'forbidden' | 'timeout') => void,
  ): void {
    const finish = withinLimit(this.around.world, route.timeout, done);
    callFunction(this.around, functionArn, this.sourceOf(route), event, finish);
  }

  /** Puts an invocation into the queue of a function, if its policy allows that. */
  private callLater(
    route: RestRoute,
    functionArn: string,
    event: unknown,
    done: (result: 'accepted' | 'forbidden') => void,
  ): void {
    const { asynchronous, world } = this.around;
    if (!mayInvoke(this.around, functionArn, this.sourceOf(route))) return void world.after(1, () => done('forbidden'));
    asynchronous.invokeAsync(functionArn, event);
    world.after(1, () => done('accepted'));
  }

  private sourceOf(route: RestRoute): string {
    const path = route.resource.replace(/\{\w+\+?\}/g, 'x');
    return executeApiArn(this.assembly.home, this.api.ref, `${this.stage}/${route.method}${path}`);
  }
}

/** Answers of the gateway where a function gives no result. */
const NO_RESULT = { timeout: 'INTEGRATION_TIMEOUT', forbidden: 'API_CONFIGURATION_ERROR' } as const;

/** Returns what templates can read of a request. */
function toTemplateInput(event: ProxyEvent, context: Context): TemplateInput {
  const texts = (value: unknown): Readonly<Record<string, string>> => (value ?? {}) as Readonly<Record<string, string>>;
  return {
    body: String(event.body ?? ''),
    context,
    path: texts(event.pathParameters),
    querystring: texts(event.queryStringParameters),
    header: texts(event.headers),
    stageVariables: {},
  };
}
