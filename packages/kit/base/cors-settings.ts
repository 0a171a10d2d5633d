import { Env } from '../aws/environment.js';
import { type EnvironmentSettings, SettingsError } from './settings.js';

/** Most origins. The gateway compares the origin of a request with one after the other. */
const MAX_ORIGINS = 10;
const HTTPS = /^https:\/\/(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::\d+)?$/;
/** A page on a developer's machine. Browsers treat these hosts as secure without TLS. */
const LOCAL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Returns the origins whose pages may call the API.
 * @throws {SettingsError} if one is no exact origin, or is there twice, or if there are none or too many
 */
export function resolveCorsOrigins({ cors }: Pick<EnvironmentSettings, 'cors'>): readonly string[] {
  if (cors === undefined) return [];
  if (cors.length === 0) throw new SettingsError('cors: expected origins; leave the setting out to allow none');
  for (const origin of cors) {
    const fault = findOriginFault(origin);
    if (fault) throw new SettingsError(`cors: '${origin}': expected ${fault}`);
  }
  const twice = cors.filter((origin, at) => cors.indexOf(origin) !== at);
  if (twice.length > 0) throw new SettingsError(`cors: expected each origin once: ${[...new Set(twice)].join(', ')}`);
  if (cors.length > MAX_ORIGINS) {
    throw new SettingsError(`cors: expected at most ${MAX_ORIGINS} origins, and not ${cors.length}`);
  }
  return cors;
}

/** Says what would be right instead of a text that is no origin as a browser sends it (RFC 6454, 6.2). */
function findOriginFault(origin: string): string | undefined {
  if (origin.includes('*')) return 'the exact origin of each page, without *';
  if (origin.startsWith('http://') && !LOCAL.test(origin)) return 'https://; http:// is for localhost only';
  const isOrigin =
    (HTTPS.test(origin) || LOCAL.test(origin)) && URL.canParse(origin) && new URL(origin).origin === origin;
  return isOrigin
    ? undefined
    : 'an origin as browsers send it, such as https://shop.example.org: in lower case, without path, trailing slash or default port';
}

/** Returns the environment variables with which a function lets pages read its answers; none without the setting. */
export const corsEnvironment = (settings: EnvironmentSettings): Readonly<Record<string, string>> => {
  const origins = resolveCorsOrigins(settings);
  return origins.length === 0 ? {} : { [Env.CORS_ORIGINS]: JSON.stringify(origins) };
};
