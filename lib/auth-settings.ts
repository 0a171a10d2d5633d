import { type EnvironmentSettings, SettingsError } from '@orderly/kit/constructs';
import { DEV_ISSUER, DEV_KEY_PREFIX } from './development.js';

/**
 * @param inlineIsAllowed whether somebody has said that this environment takes an inline key set although it keeps data
 * @throws {SettingsError} for settings with which every token would be refused, and, where data is kept, for what anybody
 *   could sign tokens by
 */
export function checkAuth(
  { environment, keepsData, auth }: Pick<EnvironmentSettings, 'environment' | 'keepsData' | 'auth'>,
  inlineIsAllowed: boolean,
): void {
  const { issuer, audience, roleClaim, jwks, jwksUri } = auth;
  const refuse = (why: string): never => {
    throw new SettingsError(`'${environment}': ${why}`);
  };
  if (keepsData && issuer === DEV_ISSUER) {
    throw new SettingsError(
      `the development issuer ${DEV_ISSUER} is refused in '${environment}': anyone can sign its tokens`,
    );
  }
  for (const [name, value] of Object.entries({ issuer, audience, roleClaim })) {
    if (value.trim() === '') refuse(`auth.${name} is empty: no token would be believed`);
  }
  // By http, whoever is on the way says which keys are the issuer's; the functions fetch none by it, and refuse all tokens.
  if (keepsData && !isHttps(issuer)) refuse(`the issuer is '${issuer}': expected an https: address`);
  const address = jwksUri ?? issuer;
  if (jwks === undefined && issuer !== DEV_ISSUER && !isHttps(address)) {
    refuse(`the issuer's keys are at '${address}': expected an https: address`);
  }
  if (jwks === undefined) return;
  const keys = keysIn(jwks) ?? refuse('jwks is no key set: expected {"keys":[...]} with a key at least');
  if (keys.some((key) => 'd' in key || 'k' in key)) refuse('jwks holds a private key: hand over the public ones');
  if (!keepsData) return;
  if (keys.some(({ kid }) => String(kid).startsWith(DEV_KEY_PREFIX))) {
    refuse('jwks holds a development key: anyone with its clone can sign tokens');
  }
  if (!inlineIsAllowed) {
    refuse('an inline jwks is believed until the next deployment: name a jwksUri, or add -c allowInlineJwks=true');
  }
}

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:';
}

/** Nothing where it isn't a JSON Web Key Set (RFC 7517, 5), or an empty one. */
function keysIn(jwks: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  try {
    const { keys } = JSON.parse(jwks) as { keys?: unknown };
    return Array.isArray(keys) && keys.length > 0 ? keys : undefined;
  } catch {
    return undefined;
  }
}
