import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { ObstaclesMet } from '../../assembly/obstacles.js';
import {
  countRequest,
  DEFAULT_STAGE,
  type Endpoint,
  gatewayLatency,
  type RouteTraffic,
  type Surroundings,
  sendAnswer,
} from '../apigateway/endpoint.js';
import type { ApiRequest, ApiResponse } from '../apigateway/messages.js';
import { normalizePath, type Route } from '../apigateway/routes.js';
import type { InvocationResult } from '../lambda/model.js';
import { Cors } from './cors.js';
import { buildPayload, joinHeaders, type Payload, parseResponse } from './payload.js';
import { DEFAULT_ROUTE } from './routes.js';

/** AWS Lambda, "Lambda quotas": payload of a synchronous invocation. */
const MAX_PAYLOAD = 6 * 1024 * 1024;
const JSON_TYPE = 'application/json';

const answer = (status: number, Message: string): ApiResponse => ({
  status,
  headers: { 'content-type': JSON_TYPE },
  body: JSON.stringify({ Message }),
});

/** Answers without the function. AWS Lambda, "Control access to Lambda function URLs" (403), "Throttling and function URLs" (429). */
const ANSWERS = {
  failed: answer(502, 'Internal Server Error'),
  forbidden: answer(403, 'Forbidden'),
  throttled: answer(429, 'Rate Exceeded.'),
  tooLarge: answer(413, 'Request Entity Too Large'),
};

/** Creates the addresses of functions in an assembly. */
export const createFunctionUrls = (
  assembly: Assembly,
  around: Surroundings & { readonly met: ObstaclesMet },
): readonly FunctionUrl[] =>
  assembly
    .findByType('AWS::Lambda::Url')
    .flatMap((url) => around.met.attempt(url, () => new FunctionUrl(url, assembly, around)) ?? []);

/**
 * The HTTPS address of a function, whose answer comes whole. AWS Lambda, "Creating and managing Lambda function URLs". Of a caller with
 * `AWS_IAM` only the presence of a signature is checked: who signs is an administrator.
 */
export class FunctionUrl implements Endpoint {
  readonly stage = DEFAULT_STAGE;
  readonly id: string;
  readonly routes: readonly Route[];
  requests = 0;
  readonly traffic = new Map<string, RouteTraffic>();
  private readonly functionArn: string;
  private readonly cors: Cors | undefined;

  /** @throws {Error} if its answers are streams */
  constructor(
    private readonly url: Resource,
    private readonly assembly: Assembly,
    private readonly around: Surroundings,
  ) {
    const { TargetFunctionArn, InvokeMode = 'BUFFERED', Cors: cors } = url.properties;
    if (InvokeMode !== 'BUFFERED') throw new Error(`InvokeMode ${String(InvokeMode)}: no answer is a stream here`);
    this.id = hostOf(url).split('.')[0] ?? '';
    this.functionArn = assembly.findByArn(TargetFunctionArn).arn;
    this.cors = cors === undefined ? undefined : new Cors(cors as JsonObject, 200);
    this.routes = [
      {
        method: 'ANY',
        resource: DEFAULT_ROUTE,
        pattern: /^/,
        parameters: [],
        backend: { functionArn: this.functionArn },
        authorizer: undefined,
        timeout: Number.POSITIVE_INFINITY,
      },
    ];
  }

  get label(): string {
    return this.url.label;
  }

  get stack(): string {
    return this.url.stack;
  }

  get functionArns(): ReadonlySet<string> {
    return new Set([this.functionArn]);
  }

  findRoute(): Route | undefined {
    return this.routes[0];
  }

  request(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { world } = this.around;
    this.requests++;
    const send = sendAnswer(world, request, done);
    const preflight = this.cors?.preflight(request);
    if (preflight) return void send(preflight);
    const plain = (response: ApiResponse): void => send(this.cors?.apply(request, response) ?? response);
    const finish = countRequest(world, this.traffic, `ANY ${DEFAULT_ROUTE}`, plain);
    const signed = /^AWS4-HMAC-SHA256 Credential=([^/,]+)/.exec(joinHeaders(request).authorization ?? '')?.[1];
    if (this.url.properties.AuthType === 'AWS_IAM' && signed === undefined) return void finish(ANSWERS.forbidden);
    if (Buffer.byteLength(request.body ?? '') > MAX_PAYLOAD) return void finish(ANSWERS.tooLarge);
    const fn = this.around.functions.get(this.functionArn);
    if (!fn || !this.isAllowed()) return void finish(ANSWERS.forbidden);
    const event = this.buildEvent(request, signed);
    world.after(gatewayLatency(world), () => fn.invoke(event, (result) => finish(toAnswer(result))));
  }

  /** Whether the function's policy lets everybody in; an administrator needs no such policy. */
  private isAllowed(): boolean {
    const type = String(this.url.properties.AuthType);
    if (type === 'AWS_IAM') return true;
    return this.around.iam.resourceAllows(this.functionArn, {
      action: 'lambda:InvokeFunctionUrl',
      resource: this.functionArn,
      context: { 'lambda:FunctionUrlAuthType': type },
    });
  }

  private buildEvent(request: ApiRequest, signed: string | undefined): Payload {
    const { world } = this.around;
    const { home } = this.assembly;
    const place = {
      apiId: this.id,
      domainName: hostOf(this.url),
      stage: DEFAULT_STAGE,
      routeKey: DEFAULT_ROUTE,
      requestId: world.random.id(),
      now: world.now,
      home,
    };
    const event = buildPayload(place, normalizePath(request), request);
    if (this.url.properties.AuthType !== 'AWS_IAM')
      return { ...event, requestContext: { ...event.requestContext, accountId: 'anonymous' } };
    const iam = { accessKey: signed, accountId: home.account, callerId: home.account, userArn: home.root };
    return { ...event, requestContext: { ...event.requestContext, authentication: null, authorizer: { iam } } };
  }
}

const hostOf = ({ attributes }: Resource): string => new URL(String(attributes.FunctionUrl)).host;

function toAnswer(result: InvocationResult): ApiResponse {
  if (result.kind === 'throttled') return ANSWERS.throttled;
  if (result.kind === 'failed') return ANSWERS.failed;
  return parseResponse(result.value, JSON_TYPE) ?? ANSWERS.failed;
}
