import type { Resource } from '../../assembly/assembly.js';
import type { InvocationResult } from '../lambda/model.js';
import { allows, type InvokeAuthorizer, KeptDecisions, type PolicyStatement } from './authorizer-answers.js';
import type { Context, GatewayResponseType } from './gateway-responses.js';
import type { ApiRequest } from './messages.js';
import type { ProxyEvent } from './proxy.js';

/** Decision over a request. */
export type Authorization =
  | { readonly kind: 'allowed' | 'denied'; readonly context?: Context }
  | { readonly kind: 'refused'; readonly type: GatewayResponseType };

/** Answer of an authorizer's function, as far as it decides. */
interface Decision {
  readonly statements: readonly PolicyStatement[];
  readonly context: Context;
}

/** API Gateway, "Authorizer": `AuthorizerResultTtlInSeconds` is 300 unless the template sets it. */
const DEFAULT_TTL = 300;

/**
 * Lambda authorizers of one API, for a token or for a request, with the answers that they keep. AWS, "Use API Gateway Lambda authorizers",
 * "Input to an API Gateway Lambda authorizer".
 */
export class Authorizers {
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
   * @param methodArn what is asked for
   * @param done called once
   */
  decide(
    authorizer: Resource,
    request: ApiRequest,
    event: ProxyEvent,
    methodArn: string,
    done: (authorization: Authorization) => void,
  ): void {
    const identity = readIdentity(authorizer, request);
    if (identity === undefined) {
      done({ kind: 'refused', type: 'UNAUTHORIZED' });
      return;
    }
    const kept = this.kept.find(authorizer, identity);
    if (kept) {
      done(judge(kept, methodArn));
      return;
    }
    const input =
      authorizer.properties.Type === 'TOKEN'
        ? { type: 'TOKEN', methodArn, authorizationToken: identity[0] }
        : { ...event, type: 'REQUEST', methodArn, body: undefined };
    this.invoke(authorizer, input, (result) => {
      const decision = readDecision(result);
      if (typeof decision === 'string') return done({ kind: 'refused', type: decision });
      const seconds = Number(authorizer.properties.AuthorizerResultTtlInSeconds ?? DEFAULT_TTL);
      this.kept.keep(authorizer, identity, seconds, decision);
      done(judge(decision, methodArn));
    });
  }
}

/**
 * Returns the values by which an authorizer knows a caller; `undefined` if one is missing, or a token has the wrong form: such a request is
 * refused without the function.
 */
function readIdentity({ properties }: Resource, request: ApiRequest): readonly string[] | undefined {
  const { Type, IdentityValidationExpression: expression } = properties;
  const sources = String(properties.IdentitySource ?? (Type === 'TOKEN' ? 'method.request.header.Authorization' : ''))
    .split(',')
    .map((source) => source.trim())
    .filter((source) => source !== '');
  const values = sources.map((source) => findIdentity(source, request));
  if (values.some((value) => value === undefined || value === '')) return undefined;
  if (typeof expression === 'string' && !new RegExp(`^(?:${expression})$`).test(values[0] ?? '')) return undefined;
  return values as readonly string[];
}

/** Returns what a request has at a source: `method.request.header.Authorization`, `method.request.querystring.token`. */
export function findIdentity(source: string, { headers, path }: ApiRequest): string | undefined {
  const [, place, name = ''] = /^method\.request\.(header|querystring)\.(.+)$/.exec(source) ?? [];
  if (place === 'querystring') return new URLSearchParams(path.split('?')[1] ?? '').get(name) ?? undefined;
  if (place !== 'header') return 'of the context';
  const found = Object.entries(headers).find(([own]) => own.toLowerCase() === name.toLowerCase());
  return found && String([found[1]].flat().at(-1));
}

/** @returns why there is no decision, if there is none */
function readDecision(result: InvocationResult | 'forbidden'): Decision | GatewayResponseType {
  // "Failing to connect to a custom authorizer", "Gateway response types"; of a throttle AWS documents nothing more exact.
  if (result === 'forbidden' || result.kind === 'throttled') return 'AUTHORIZER_CONFIGURATION_ERROR';
  // An authorizer that throws this text means the caller.
  if (result.kind === 'failed') return result.message === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE';
  const { policyDocument, context = {} } = (result.value ?? {}) as {
    readonly policyDocument?: { readonly Statement?: Decision['statements'] };
    readonly context?: Context;
  };
  return policyDocument ? { statements: policyDocument.Statement ?? [], context } : 'AUTHORIZER_CONFIGURATION_ERROR';
}

const judge = ({ statements, context }: Decision, methodArn: string): Authorization => ({
  kind: allows(statements, methodArn) ? 'allowed' : 'denied',
  context,
});
