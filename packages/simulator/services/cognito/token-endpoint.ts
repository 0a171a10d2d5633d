import type { HttpRequest, HttpResponse } from '../../runtime/http.js';
import type { PoolClient, UserPool } from './pool.js';
import { publicKeys } from './signing-key.js';

/**
 * Answers what a pool serves beside its API: its keys, its discovery document, and tokens of clients. Amazon Cognito, "The token issuer
 * endpoint" (`/oauth2/token`), "Verifying JSON web tokens"; RFC 6749, "Client Credentials Grant".
 * @param path below the pool's domain or issuer
 */
export function answerAtPool(
  pool: UserPool,
  path: string,
  request: Pick<HttpRequest, 'method' | 'headers' | 'body'>,
): HttpResponse {
  if (path === '/.well-known/jwks.json') return json(200, { keys: publicKeys() });
  if (path === '/.well-known/openid-configuration')
    return json(200, { issuer: pool.issuer, jwks_uri: `${pool.issuer}/.well-known/jwks.json` });
  if (path === '/oauth2/token' && request.method === 'POST') return issue(pool, request);
  return json(404, { error: `${request.method} ${path} of a user pool isn't modelled` });
}

function issue(pool: UserPool, { headers, body }: Pick<HttpRequest, 'headers' | 'body'>): HttpResponse {
  const form = new URLSearchParams(body);
  const [, basic = ''] = /^Basic (.+)$/i.exec(headers.authorization ?? '') ?? [];
  const [id, secret] = basic === '' ? [form.get('client_id'), form.get('client_secret')] : decodeBasic(basic);
  const client = pool.clients.find((one) => one.id === id);
  if (!client || client.secret === undefined || client.secret !== secret) return json(400, { error: 'invalid_client' });
  if (form.get('grant_type') !== 'client_credentials') return json(400, { error: 'unsupported_grant_type' });
  if (!hasFlow(client, 'client_credentials')) return json(400, { error: 'unauthorized_client' });
  const asked = (form.get('scope') ?? '').split(' ').filter(Boolean);
  if (asked.some((scope) => !client.scopes.includes(scope))) return json(400, { error: 'invalid_scope' });
  const scopes = asked.length > 0 ? asked : client.scopes;
  return json(200, {
    access_token: pool.issueForClient(client, scopes),
    expires_in: client.validity('AccessToken'),
    token_type: 'Bearer',
  });
}

const hasFlow = ({ resource }: PoolClient, flow: string): boolean =>
  resource.properties.AllowedOAuthFlowsUserPoolClient === true &&
  ((resource.properties.AllowedOAuthFlows ?? []) as readonly string[]).includes(flow);

function decodeBasic(text: string): readonly (string | undefined)[] {
  const [, id, secret] = /^([^:]*):(.*)$/.exec(Buffer.from(text, 'base64').toString('utf8')) ?? [];
  return [id, secret];
}

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
