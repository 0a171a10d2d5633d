import type { Cloud } from '../cloud/cloud.js';
import type { PoolClient, UserPool } from '../services/cognito/pool.js';
import { publicKeys, signToken } from '../services/cognito/signing-key.js';
import type { HttpRoute } from '../services/httpapi/routes.js';
import { RequestsUnreadable } from './stimulus.js';

const HOUR_SECONDS = 3_600;

/**
 * Issues a token for a recorded request: an `idToken` or an `accessToken` of a user of the app's pool, who is added, a `clientToken` of a machine, or a
 * `jwt` of the issuer of a JWT authorizer.
 * @throws {RequestsUnreadable} if the app has nobody who could issue the token
 */
export function issueToken(cloud: Cloud, kind: string, name: string): string {
  if (kind === 'jwt') return issueJwt(cloud, name);
  if (kind === 'clientToken') {
    const { pool, client } = findClient(cloud, kind, ({ resource }) =>
      flowsOf(resource.properties).includes('client_credentials'),
    );
    return pool.issueForClient(client, (client.resource.properties.AllowedOAuthScopes ?? []) as readonly string[]);
  }
  const { pool, client } = findClient(
    cloud,
    kind,
    ({ resource }) => !flowsOf(resource.properties).includes('client_credentials'),
  );
  const user = pool.findUser(name) ?? pool.addUser(name, undefined, new Map(), 'CONFIRMED');
  const { IdToken, AccessToken } = pool.issueFor(user, client);
  return kind === 'idToken' ? IdToken : AccessToken;
}

const flowsOf = (properties: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(properties.AllowedOAuthFlows) ? properties.AllowedOAuthFlows : [];

function findClient(
  { userPools }: Cloud,
  kind: string,
  fits: (client: PoolClient) => boolean,
): { readonly pool: UserPool; readonly client: PoolClient } {
  for (const pool of userPools.pools) {
    const client = pool.clients.find(fits);
    if (client) return { pool, client };
  }
  throw new RequestsUnreadable(
    `{{${kind}}}: the app has no user pool with a client ${kind === 'clientToken' ? 'for machines' : 'for users'}`,
  );
}

/** Issues a token of the first JWT authorizer's issuer, and puts a model in the place of that host, which tells the keys. */
function issueJwt(cloud: Cloud, sub: string): string {
  const routes = cloud.apis.flatMap((api) => api.routes) as readonly Partial<HttpRoute>[];
  const pools = cloud.userPools.pools.map(({ issuer }) => issuer);
  const found = routes
    .map(
      (route) =>
        (route.authorizer?.properties.JwtConfiguration ?? {}) as { Issuer?: string; Audience?: readonly string[] },
    )
    .find(({ Issuer }) => Issuer !== undefined && !pools.includes(Issuer));
  const { Issuer: iss, Audience = [] } = found ?? {};
  if (iss === undefined)
    throw new RequestsUnreadable('{{jwt}}: the app has no JWT authorizer with an issuer of its own');
  const { host } = new URL(iss);
  if (!cloud.thirdParties.has(host)) cloud.thirdParties.add(host, modelOfIssuer(iss));
  const iat = Math.floor(cloud.world.now / 1000);
  const scope = [...new Set(routes.flatMap(({ scopes = [] }) => scopes))].join(' ');
  return signToken({ sub, iss, aud: Audience[0], iat, exp: iat + HOUR_SECONDS, ...(scope !== '' && { scope }) });
}

/** OpenID Connect Discovery 1.0: the document of an issuer, and its keys. */
const modelOfIssuer = (issuer: string) => ({
  answer: ({ path }: { readonly path: string }) => {
    const found = path.endsWith('/.well-known/openid-configuration')
      ? { issuer, jwks_uri: `${issuer.replace(/\/$/, '')}/.well-known/jwks.json` }
      : { keys: publicKeys() };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(found) };
  },
  refuse: () => ({ status: 429, headers: {}, body: '' }),
});
