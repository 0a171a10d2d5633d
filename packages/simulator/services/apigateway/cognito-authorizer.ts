import type { Resource } from '../../assembly/assembly.js';
import { type Claims, scopesOf } from '../cognito/jwt.js';
import type { UserPool } from '../cognito/pool.js';
import { type Authorization, findIdentity } from './authorizers.js';
import type { ApiRequest } from './messages.js';

/** Finds a user pool by its ARN. */
export type FindPool = (arn: unknown) => UserPool | undefined;

/**
 * Decides over a request by a token of one of an authorizer's user pools. Amazon API Gateway, "Control access to REST APIs using Amazon
 * Cognito user pools as an authorizer": a method without scopes takes an id token, and one with scopes an access token with one of them.
 * A token without a needed scope is `ACCESS_DENIED`: "Gateway response types".
 */
export function authorizeByPool(
  authorizer: Resource,
  request: ApiRequest,
  scopes: readonly string[],
  findPool: FindPool,
): Authorization {
  const { IdentitySource = 'method.request.header.Authorization', ProviderARNs = [] } = authorizer.properties;
  const text = findIdentity(String(IdentitySource), request)?.replace(/^Bearer\s+/i, '');
  const pools = ([ProviderARNs].flat() as readonly string[]).flatMap((arn) => findPool(arn) ?? []);
  const [claims] = pools.flatMap((pool): Claims | readonly Claims[] => pool.readToken(text ?? '') ?? []);
  if (!claims || claims.token_use !== (scopes.length > 0 ? 'access' : 'id'))
    return { kind: 'refused', type: 'UNAUTHORIZED' };
  if (scopes.length > 0 && !scopesOf(claims).some((scope) => scopes.includes(scope)))
    return { kind: 'refused', type: 'ACCESS_DENIED' };
  const texts = Object.entries(claims).map(([name, value]) => [name, String(value)]);
  return { kind: 'allowed', context: { claims: Object.fromEntries(texts) } };
}
