import { NoToken, requestToken } from '../../lambdas/client-credentials.js';
import { LocalRunError } from '../local/errors.js';

/** Variables of the process that say where the token of the smoke test is from. */
type Variables = Readonly<Record<string, string | undefined>>;

const NAMES = ['SMOKE_TOKEN_URL', 'SMOKE_CLIENT_ID', 'SMOKE_CLIENT_SECRET'] as const;

/**
 * Returns where the token of the smoke test comes from: `SMOKE_TOKEN`, or the issuer, by the client credentials of a program
 * (RFC 6749, 4.4). `SMOKE_AUDIENCE` and `SMOKE_SCOPE` are sent along if they are set.
 * @throws {LocalRunError} if variables are missing, or the issuer refuses
 */
export function tokenSource(
  variables: Variables,
  ask: (url: string, init: RequestInit) => Promise<Response> = fetch,
): string | (() => Promise<string>) {
  if (variables.SMOKE_TOKEN) return variables.SMOKE_TOKEN;
  const missing = NAMES.filter((name) => !variables[name]);
  if (missing.length > 0) {
    throw new LocalRunError(
      `The smoke test needs a token: expected SMOKE_TOKEN, or ${NAMES.join(', ')} (missing: ${missing.join(', ')}).`,
    );
  }
  const {
    SMOKE_TOKEN_URL = '',
    SMOKE_CLIENT_ID = '',
    SMOKE_CLIENT_SECRET = '',
    SMOKE_AUDIENCE,
    SMOKE_SCOPE,
  } = variables;
  return async () => {
    try {
      const { token } = await requestToken(
        {
          url: SMOKE_TOKEN_URL,
          clientId: SMOKE_CLIENT_ID,
          clientSecret: SMOKE_CLIENT_SECRET,
          audience: SMOKE_AUDIENCE,
          scope: SMOKE_SCOPE,
        },
        { ask },
      );
      return token;
    } catch (error) {
      throw error instanceof NoToken ? new LocalRunError(error.message) : error;
    }
  };
}
