import { type EnvironmentSettings, SettingsError } from '@orderly/kit/constructs';
import { DEV_ISSUER, DEV_KEY_PREFIX } from './development.js';
import { checkTextSize } from './text-size.js';

/**
 * Checks the settings of the token issuer.
 * @param inlineIsAllowed whether this environment accepts an inline key set although it keeps data
 * @throws {SettingsError} if every token would be refused, or if the environment keeps data and anyone could sign tokens
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
    if (value.trim() === '') refuse(`auth.${name} is empty: expected a text, since every token would be refused`);
  }
  // Over http, anyone on the network could replace the issuer's keys. The functions fetch no keys over http, so they would
  // refuse every token.
  if (keepsData && !isHttps(issuer)) refuse(`the issuer is '${issuer}': expected an https: address`);
  const address = jwksUri ?? issuer;
  if (jwks === undefined && issuer !== DEV_ISSUER && !isHttps(address)) {
    refuse(`the issuer's keys are at '${address}': expected an https: address`);
  }
  if (jwks === undefined) return;
  const keys = parseKeys(jwks) ?? refuse('jwks is no key set: expected {"keys":[...]} with at least one key');
  checkTextSize(`auth.jwks of '${environment}'`, jwks, 'name a jwksUri');
  if (keys.some((key) => 'd' in key || 'k' in key)) refuse('jwks contains a private key: expected public keys only');
  if (!keepsData) return;
  if (keys.some(({ kid }) => String(kid).startsWith(DEV_KEY_PREFIX))) {
    refuse('jwks contains a development key, and anyone with that clone can sign tokens: expected keys of your issuer');
  }
  if (!inlineIsAllowed) {
    refuse('an inline jwks is accepted until the next deployment: name a jwksUri, or add -c allowInlineJwks=true');
  }
}

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:';
}

/** Returns the keys of a JSON Web Key Set (RFC 7517, 5), or `undefined` if the text is none or has no key. */
function parseKeys(jwks: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  try {
    const { keys } = JSON.parse(jwks) as { keys?: unknown };
    return Array.isArray(keys) && keys.length > 0 ? keys : undefined;
  } catch {
    return undefined;
  }
}
