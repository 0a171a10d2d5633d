import type { Cloud } from '../cloud/cloud.js';
import { configureGroups, groupClaims } from '../services/cognito/groups.js';
import type { PoolClient, UserPool } from '../services/cognito/pool.js';
import { publicKeys, signToken } from '../services/cognito/signing-key.js';
import type { User } from '../services/cognito/users.js';
import type { HttpRoute } from '../services/httpapi/routes.js';
import { RequestsUnreadable } from './stimulus.js';

type Claims = Readonly<Record<string, string>>;

const HOUR_SECONDS = 3_600;

/** Claims behind the name of a token that are none of the user's attributes. */
const OWN = ['groups', 'pool', 'scope'];

/** Sign-ins of users: the tokens of one sign-in have the same `origin_jti`. */
const signIns = new WeakMap<User, string>();

/**
 * Issues a token for a recorded request: an `idToken` or an `accessToken` of a user of the app's pool, who is added, a `clientToken` of a machine, or a
 * `jwt` of the issuer of a JWT authorizer.
 * @param claims attributes of the user who is added, `groups`, and `pool` (a part of its label) and `scope`, where there are several
 * @throws {RequestsUnreadable} if the app has nobody who could issue the token
 */
export function issueToken(cloud: Cloud, kind: string, name: string, claims: Claims): string {
  if (kind === 'jwt') return issueJwt(cloud, name);
  const isMachine = kind === 'clientToken';
  const { pool, client } = findClient(
    cloud,
    kind,
    claims,
    ({ resource }) => flowsOf(resource.properties).includes('client_credentials') === isMachine,
  );
  const scope = claims.scope?.replaceAll(',', ' ');
  if (isMachine) return pool.issueForClient(client, scope?.split(' ') ?? client.scopes);
  const user = pool.findUser(name) ?? pool.addUser(name, undefined, attributesOf(pool, name, claims), 'CONFIRMED');
  const origin = signIns.get(user) ?? cloud.world.random.id();
  signIns.set(user, origin);
  joinGroups(pool, user, claims.groups?.split(',') ?? []);
  const more = groupClaims(configureGroups(pool, user));
  const { IdToken, AccessToken } = pool.issueFor(user, client, more, origin, scope);
  return kind === 'idToken' ? IdToken : AccessToken;
}

/** @throws {RequestsUnreadable} if the pool has no such group */
function joinGroups({ groups }: UserPool, user: User, names: readonly string[]): void {
  const unknown = names.find((name) => !groups.has(name));
  if (unknown !== undefined)
    throw new RequestsUnreadable(
      `groups=${unknown}: the user pool has no such group; there are: ${[...groups.keys()].join(', ') || 'none'}`,
    );
  for (const name of names) user.groups.add(name);
}

/** Returns the attributes of a user: what the file says, and what the pool demands besides. Amazon Cognito, "User pool attributes". */
function attributesOf({ resource }: UserPool, name: string, claims: Claims): ReadonlyMap<string, string> {
  const {
    Schema = [],
    UsernameAttributes = [],
    AutoVerifiedAttributes = [],
  } = resource.properties as {
    readonly Schema?: readonly { readonly Name: string; readonly Required?: boolean }[];
    readonly UsernameAttributes?: readonly string[];
    readonly AutoVerifiedAttributes?: readonly string[];
  };
  const demanded = [
    ...UsernameAttributes,
    ...AutoVerifiedAttributes,
    ...Schema.filter(({ Required }) => Required === true).map(({ Name }) => Name),
  ];
  const given = Object.entries(claims).filter(([claim]) => !OWN.includes(claim));
  const values = new Map([...demanded.map((one): [string, string] => [one, exampleOf(one, name)]), ...given]);
  for (const verified of AutoVerifiedAttributes) values.set(`${verified}_verified`, 'true');
  return values;
}

const exampleOf = (attribute: string, name: string): string => {
  if (attribute === 'email') return name.includes('@') ? name : `${name}@example.com`;
  return attribute === 'phone_number' ? '+12025550123' : name;
};

const flowsOf = (properties: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(properties.AllowedOAuthFlows) ? properties.AllowedOAuthFlows : [];

function findClient(
  { userPools }: Cloud,
  kind: string,
  { pool: label = '' }: Claims,
  fits: (client: PoolClient) => boolean,
): { readonly pool: UserPool; readonly client: PoolClient } {
  for (const pool of userPools.pools.filter(({ resource }) => resource.label.includes(label))) {
    const client = pool.clients.find(fits);
    if (client) return { pool, client };
  }
  throw new RequestsUnreadable(
    `{{${kind}}}: the app has no user pool${label === '' ? '' : ` ${label}`} with a client ${kind === 'clientToken' ? 'for machines' : 'for users'}`,
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
