import { Env } from '../aws/environment.js';
import type { EnvironmentSettings } from './settings.js';

/** Returns the environment variables with which a function verifies a token. */
export const tokenEnvironment = ({ app, auth }: EnvironmentSettings) => ({
  [Env.JWT_ISSUER]: auth.issuer,
  [Env.JWT_AUDIENCE]: auth.audience,
  [Env.JWT_ROLE_CLAIM]: auth.roleClaim,
  [Env.ROLES]: JSON.stringify(app.roles),
  [Env.OPERATOR_ROLES]: JSON.stringify(app.operatorRoles),
  [Env.JWT_MAX_LIFETIME]: String(auth.maxTokenLifetime.toSeconds()),
  ...(auth.tokens === 'cognito-access' && { [Env.JWT_TOKENS]: auth.tokens }),
  ...(auth.jwks !== undefined && { [Env.JWT_JWKS]: auth.jwks }),
  ...(auth.jwksUri !== undefined && { [Env.JWT_JWKS_URI]: auth.jwksUri }),
});
