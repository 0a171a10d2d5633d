import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import {
  callFunction,
  canBeDecoded,
  countRequest,
  DEFAULT_STAGE,
  type Endpoint,
  executeApiArn,
  gatewayLatency,
  type RouteTraffic,
  type Surroundings,
  sendAnswer,
  withinLimit,
} from '../apigateway/endpoint.js';
import type { ApiRequest, ApiResponse } from '../apigateway/messages.js';
import { buildProxyEvent, parseProxyResponse } from '../apigateway/proxy.js';
import { normalizePath, parseFunctionArn } from '../apigateway/routes.js';
import { ALL_METHODS, Throttling, type ThrottlingSettings } from '../apigateway/throttling.js';
import type { InvocationResult } from '../lambda/model.js';
import { ANSWERS } from './answers.js';
import { Cors } from './cors.js';
import { type FindKeys, JwtAuthorizers } from './jwt-authorizer.js';
import { type Authorization, findValue, LambdaAuthorizers } from './lambda-authorizer.js';
import { buildPayload, decodeBody, joinHeaders, type Payload, parseResponse } from './payload.js';
import { buildRoutes, findRoute, type HttpRoute } from './routes.js';

/** Amazon API Gateway, "Quotas for configuring and running an HTTP API": payload size. */
const MAX_PAYLOAD = 10 * 1024 * 1024;
/** Media type that API Gateway gives an answer that names none. */
const TEXT = 'text/plain;charset=UTF-8';

/** Caller of a route as its function gets it, by the payload format of the integration. */
interface Caller {
  readonly '1.0': unknown;
  readonly '2.0': unknown;
}

/** Parts of an account that an HTTP API needs. */
export interface HttpApiSurroundings extends Surroundings {
  /** @see Load.apiShare */
  readonly share?: number | undefined;
  /** Gets the routes that have no model. */
  readonly met: ObstaclesMet;
  readonly findKeys: FindKeys;
}

/** Creates the HTTP APIs of an assembly, one endpoint for each of their stages. */
export const createHttpApis = (assembly: Assembly, around: HttpApiSurroundings): readonly HttpApi[] =>
  assembly.findByType('AWS::ApiGatewayV2::Api').flatMap((api) => {
    const own = (type: string): readonly Resource[] =>
      assembly.findByType(type).filter(({ properties }) => properties.ApiId === api.ref);
    return (
      around.met.attempt(api, () => {
        if (api.properties.ProtocolType !== 'HTTP')
          throw new Error(`the protocol ${String(api.properties.ProtocolType)}: no connection is kept here`);
        const routes = buildRoutes(own, (ref) => assembly.findByArn(ref), around.met);
        return own('AWS::ApiGatewayV2::Stage').flatMap(
          (stage) => around.met.attempt(stage, () => new HttpApi(api, stage, routes, assembly, around)) ?? [],
        );
      }) ?? []
    );
  });

/**
 * A stage of an HTTP API with Lambda proxy integrations, Lambda and JWT authorizers, and CORS. Amazon API Gateway, "API Gateway HTTP APIs".
 */
export class HttpApi implements Endpoint {
  readonly stage: string;
  requests = 0;
  readonly traffic = new Map<string, RouteTraffic>();
  private readonly throttling: Throttling;
  private readonly cors: Cors | undefined;
  private readonly jwt: JwtAuthorizers;
  private readonly lambda: LambdaAuthorizers;

  /** @throws {Error} if nothing was ever deployed to the stage */
  constructor(
    private readonly api: Resource,
    private readonly settings: Resource,
    readonly routes: readonly HttpRoute[],
    private readonly assembly: Assembly,
    private readonly around: HttpApiSurroundings,
  ) {
    const { StageName, AutoDeploy, DeploymentId, DefaultRouteSettings, RouteSettings = {} } = settings.properties;
    if (AutoDeploy !== true && DeploymentId === undefined)
      throw new Error('neither AutoDeploy nor a DeploymentId: it would answer nobody');
    this.stage = String(StageName);
    const limits = Object.entries(RouteSettings as Readonly<Record<string, ThrottlingSettings>>);
    const all = (DefaultRouteSettings ?? {}) as ThrottlingSettings;
    this.throttling = new Throttling([[ALL_METHODS, all], ...limits], around.share);
    const { CorsConfiguration } = api.properties;
    this.cors = CorsConfiguration === undefined ? undefined : new Cors(CorsConfiguration as JsonObject);
    const now = (): number => around.world.now;
    this.jwt = new JwtAuthorizers(now, around.findKeys);
    this.lambda = new LambdaAuthorizers(now, ({ ref, properties }, input, done) => {
      const source = executeApiArn(assembly.home, api.ref, `authorizers/${ref}`);
      callFunction(around, parseFunctionArn(String(properties.AuthorizerUri)), source, input, done);
    });
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
      this.routes.flatMap(({ authorizer, backend }) => {
        const uri = authorizer?.properties.AuthorizerUri;
        return [backend.functionArn, ...(uri === undefined ? [] : [parseFunctionArn(String(uri))])];
      }),
    );
  }

  findRoute(method: string, path: string): HttpRoute | undefined {
    return findRoute(this.routes, method, normalizePath({ path }));
  }

  request(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { world } = this.around;
    this.requests++;
    const send = sendAnswer(world, request, done);
    const plain = (response: ApiResponse): void => send(this.cors?.apply(request, response) ?? response);
    const path = normalizePath(request);
    if (!canBeDecoded(path)) return void send(ANSWERS.badRequest);
    const preflight = this.cors?.preflight(request);
    if (preflight) return void send(preflight);
    const route = findRoute(this.routes, request.method, path);
    if (!route) return void plain(ANSWERS.notFound);
    const answer = countRequest(world, this.traffic, `${route.method} ${route.resource}`, plain);
    if (!this.throttling.passes(route.key, world.now)) return void answer(ANSWERS.throttled);
    if (Buffer.byteLength(request.body ?? '') > MAX_PAYLOAD) return void answer(ANSWERS.tooLarge);
    const payload = this.buildPayload(route, path, request);
    world.after(gatewayLatency(world), () => this.handle(route, request, payload, answer));
  }

  private handle(
    route: HttpRoute,
    request: ApiRequest,
    payload: Payload,
    answer: (response: ApiResponse) => void,
  ): void {
    this.authorize(route, request, payload, (caller) => {
      if (caller && 'refusal' in caller) return void answer(caller.refusal);
      this.integrate(route, this.eventOf(route.payloadFormat, route, request, payload, caller), (result) => {
        if (result === 'timeout') return void answer(ANSWERS.timeout);
        const returned = result !== 'forbidden' && result.kind === 'returned' ? result : undefined;
        answer((returned && readAnswer(route, returned.value)) ?? ANSWERS.internalError);
      });
    });
  }

  private buildPayload(route: HttpRoute, path: string, request: ApiRequest): Payload {
    const { world } = this.around;
    const { home } = this.assembly;
    const values = route.pattern.exec(path)?.slice(1) ?? [];
    const parameters = route.parameters.map((name, at) => [name, decodeURIComponent(values[at] ?? '')]);
    const place = {
      apiId: this.api.ref,
      domainName: `${this.api.ref}.execute-api.${home.region}.amazonaws.com`,
      stage: this.stage,
      routeKey: route.key,
      requestId: world.random.id(),
      now: world.now,
      home,
      stageVariables: this.settings.properties.StageVariables as JsonObject | undefined,
      pathParameters: parameters.length > 0 ? Object.fromEntries(parameters) : undefined,
    };
    return buildPayload(place, `${this.prefix}${path}`, request);
  }

  /** Beginning of the stage's paths, before the path of a route. */
  private get prefix(): string {
    return this.stage === DEFAULT_STAGE ? '' : `/${this.stage}`;
  }

  /** Returns the event of a function, or of an authorizer, in its payload format. */
  private eventOf(
    format: unknown,
    route: HttpRoute,
    request: ApiRequest,
    payload: Payload,
    caller: Caller | undefined,
  ): Readonly<Record<string, unknown>> {
    const { requestContext } = payload;
    if (format === '2.0')
      return caller ? { ...payload, requestContext: { ...requestContext, authorizer: caller['2.0'] } } : payload;
    const place = {
      apiId: this.api.ref,
      deploymentId: 'simulated',
      stage: this.stage,
      requestId: String(requestContext.requestId),
      now: this.around.world.now,
      home: this.assembly.home,
    };
    const event = buildProxyEvent(
      place,
      { ...route, resourceId: route.key },
      { ...request, headers: joinHeaders(request) },
    );
    const { body = null, isBase64Encoded, pathParameters = null, stageVariables = null, rawPath } = payload;
    return {
      version: '1.0',
      ...event,
      path: rawPath,
      requestContext: { ...event.requestContext, path: rawPath, ...(caller && { authorizer: caller['1.0'] }) },
      body,
      isBase64Encoded,
      pathParameters,
      stageVariables,
    };
  }

  private authorize(
    { authorizer, scopes, ...route }: HttpRoute,
    request: ApiRequest,
    payload: Payload,
    done: (caller: Caller | { readonly refusal: ApiResponse } | undefined) => void,
  ): void {
    if (!authorizer) return void done(undefined);
    const { AuthorizerType, IdentitySource, AuthorizerPayloadFormatVersion } = authorizer.properties;
    if (AuthorizerType === 'JWT') {
      const [source] = [IdentitySource ?? '$request.header.Authorization'].flat();
      const token = findValue(String(source), request, payload);
      if (token === undefined) return void done({ refusal: WITHOUT_TOKEN });
      this.jwt.check(authorizer, token, scopes, (checked) =>
        done('refusal' in checked ? checked : { '1.0': checked, '2.0': { jwt: checked } }),
      );
      return;
    }
    const event = this.eventOf(
      AuthorizerPayloadFormatVersion,
      { ...route, authorizer, scopes },
      request,
      payload,
      undefined,
    );
    const path = normalizePath(request);
    const routeArn = executeApiArn(this.assembly.home, this.api.ref, `${this.stage}/${request.method}${path}`);
    this.lambda.decide(authorizer, { request, payload, event, routeArn }, (authorization) =>
      done(
        authorization.kind === 'allowed'
          ? { '1.0': authorization.context, '2.0': { lambda: authorization.context } }
          : { refusal: REFUSALS[authorization.kind] },
      ),
    );
  }

  private integrate(
    route: HttpRoute,
    event: object,
    done: (result: InvocationResult | 'forbidden' | 'timeout') => void,
  ): void {
    const finish = withinLimit(this.around.world, route.timeout, done);
    const part = route.key === route.resource ? route.key : `${route.method}${route.resource}`;
    const source = executeApiArn(this.assembly.home, this.api.ref, `${this.stage}/${part}`);
    callFunction(this.around, route.backend.functionArn, source, event, finish);
  }
}

/** Returns what a function's answer says; `undefined` if it has no form that its payload format knows. */
function readAnswer({ payloadFormat }: HttpRoute, value: unknown): ApiResponse | undefined {
  if (payloadFormat === '2.0') return parseResponse(value, TEXT);
  const response = parseProxyResponse(value);
  const { isBase64Encoded } = (value ?? {}) as { readonly isBase64Encoded?: unknown };
  return response && { ...response, ...decodeBody(response.body, isBase64Encoded) };
}

const WITHOUT_TOKEN: ApiResponse = {
  ...ANSWERS.unauthorized,
  headers: { ...ANSWERS.unauthorized.headers, 'www-authenticate': 'Bearer' },
};

const REFUSALS: Readonly<Record<Exclude<Authorization['kind'], 'allowed'>, ApiResponse>> = {
  denied: ANSWERS.forbidden,
  failed: ANSWERS.internalError,
  unidentified: ANSWERS.unauthorized,
};
