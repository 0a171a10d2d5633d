import type { Resource } from '../../assembly/assembly.js';
import type { Json } from '../../assembly/intrinsics.js';
import {
  allows,
  type InvokeAuthorizer,
  KeptDecisions,
  type PolicyStatement,
} from '../apigateway/authorizer-answers.js';
import type { ApiRequest } from '../apigateway/messages.js';
import type { InvocationResult } from '../lambda/model.js';
import { joinHeaders, type Payload } from './payload.js';

/** Decision over a request, with what its function gets of the caller. */
export type Authorization =
  | { readonly kind: 'allowed'; readonly context: Readonly<Record<string, unknown>> }
  | { readonly kind: 'denied' | 'failed' | 'unidentified' };

/** Answer of an authorizer's function: for every request, or for those that its policy names. */
type Decision =
  | { readonly isAuthorized: boolean; readonly context: Readonly<Record<string, unknown>> }
  | { readonly statements: readonly PolicyStatement[]; readonly context: Readonly<Record<string, unknown>> };

/**
 * Lambda authorizers of one HTTP API, with the answers that they keep. Amazon API Gateway, "Control access to HTTP APIs with AWS Lambda
 * authorizers": answers are kept only if `AuthorizerResultTtlInSeconds` says so, by the values of all identity sources; a simple
 * answer is for all routes.
 */
export class LambdaAuthorizers {
  private readonly kept: KeptDecisions<Decision>;

  /** @param now returns the time, milliseconds since 1970 */
  constructor(
    now: () => number,
    private readonly invoke: InvokeAuthorizer,
  ) {
    this.kept = new KeptDecisions(now);
  }

  /**
   * Lets an authorizer decide over a request.
   * @param payload of the request in the format 2.0 @param event of the request in the authorizer's format
   * @param routeArn what is asked for
   */
  decide(
    authorizer: Resource,
    { request, payload, event, routeArn }: Asked,
    done: (authorization: Authorization) => void,
  ): void {
    const { AuthorizerResultTtlInSeconds = 0, IdentitySource = [], EnableSimpleResponses } = authorizer.properties;
    const sources = [IdentitySource].flat() as readonly string[];
    const identity = sources.map((source) => findValue(source, request, payload));
    if (!isIdentity(identity)) return void done({ kind: 'unidentified' });
    const kept = this.kept.find(authorizer, identity);
    if (kept) return void done(judge(kept, routeArn));
    const input =
      event.version === '2.0'
        ? { ...event, type: 'REQUEST', routeArn, identitySource: identity, body: undefined, isBase64Encoded: undefined }
        : {
            ...event,
            type: 'REQUEST',
            methodArn: routeArn,
            identitySource: identity.join(','),
            authorizationToken: identity.join(','),
            body: undefined,
          };
    this.invoke(authorizer, input, (result) => {
      const decision = readDecision(result, EnableSimpleResponses);
      if (!decision) return void done({ kind: 'failed' });
      this.kept.keep(authorizer, identity, Number(AuthorizerResultTtlInSeconds), decision);
      done(judge(decision, routeArn));
    });
  }
}

const isIdentity = (values: readonly (string | undefined)[]): values is readonly string[] =>
  values.every((value) => value !== undefined && value !== '');

interface Asked {
  readonly request: ApiRequest;
  readonly payload: Payload;
  readonly event: Readonly<Record<string, unknown>>;
  readonly routeArn: string;
}

/**
 * Returns what stands at an identity source; `undefined` if nothing does.
 * @param source `$request.header.Authorization`, `$request.querystring.token`, `$context.routeKey`, `$stageVariables.tenant`
 */
export function findValue(source: string, request: ApiRequest, payload: Payload): string | undefined {
  const [, place = '', name = ''] =
    /^\$(request\.header|request\.querystring|context|stageVariables)\.(.+)$/.exec(source) ?? [];
  const from: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = {
    'request.header': joinHeaders(request),
    'request.querystring': payload.queryStringParameters as Record<string, unknown> | undefined,
    context: payload.requestContext,
    stageVariables: payload.stageVariables as Record<string, unknown> | undefined,
  };
  const value = from[place]?.[place === 'request.header' ? name.toLowerCase() : name];
  return value === undefined ? undefined : String(value);
}

/** @returns nothing if the function failed, or its answer has another form than the authorizer's setting says */
function readDecision(result: InvocationResult | 'forbidden', isSimple: Json | undefined): Decision | undefined {
  if (result === 'forbidden' || result.kind !== 'returned') return undefined;
  const {
    isAuthorized,
    policyDocument,
    context = {},
  } = (result.value ?? {}) as {
    readonly isAuthorized?: unknown;
    readonly policyDocument?: { readonly Statement?: readonly PolicyStatement[] };
    readonly context?: Readonly<Record<string, unknown>>;
  };
  if (isSimple === true) return typeof isAuthorized === 'boolean' ? { isAuthorized, context } : undefined;
  return policyDocument && { statements: [policyDocument.Statement ?? []].flat(), context };
}

function judge(decision: Decision, routeArn: string): Authorization {
  const { context } = decision;
  if ('isAuthorized' in decision) return decision.isAuthorized ? { kind: 'allowed', context } : { kind: 'denied' };
  return allows(decision.statements, routeArn) ? { kind: 'allowed', context } : { kind: 'denied' };
}
