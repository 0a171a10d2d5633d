/** A program at the issuer, and what its tokens are for. */
export interface ClientCredentials {
  /** Token endpoint of the issuer. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience?: string | undefined;
  readonly scope?: string | undefined;
}

/** A token, and the seconds for which it is valid if the issuer says so. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresIn: number | undefined;
}

/** Error for an issuer that gives no token. Its text contains nothing of what was sent or answered but the status. */
export class NoToken extends Error {
  override readonly name = 'NoToken';
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Gets a token by the client credentials of a program (RFC 6749, 4.4). The client's id and secret are in the body.
 * @param signal ends the request
 * @throws {NoToken} if the issuer refuses
 */
export async function requestToken(
  { url, clientId, clientSecret, audience, scope }: ClientCredentials,
  { ask = fetch, signal }: { readonly ask?: Fetch; readonly signal?: AbortSignal } = {},
): Promise<IssuedToken> {
  const response = await ask(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(audience && { audience }),
      ...(scope && { scope }),
    }).toString(),
    ...(signal && { signal }),
  });
  // Its text may contain what was sent, so only the status is shown.
  if (!response.ok) throw new NoToken(`The issuer gave no token: ${url} answered ${response.status}.`);
  const { access_token: token, expires_in: expiresIn } = (await response.json()) as Readonly<Record<string, unknown>>;
  if (typeof token !== 'string' || token === '')
    throw new NoToken(`The issuer gave no token: ${url} answered without access_token.`);
  return { token, expiresIn: typeof expiresIn === 'number' ? expiresIn : undefined };
}
