import { Problem } from './errors.js';

/**
 * `If-Match: 3`, also as an entity tag (`"3"`); 0 is what was never written.
 * @throws {Problem} 400 where it has another form
 */
export function versionOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, tag, version = tag] = /^(?:"(0|[1-9]\d{0,8})"|(0|[1-9]\d{0,8}))$/.exec(ifMatch) ?? [];
  if (version !== undefined) return Number(version);
  const errors = [{ header: 'If-Match', detail: 'expected the version as it was read, such as 3' }];
  throw new Problem('invalid-request', 'malformed If-Match', { errors });
}

/**
 * Refuses a change that was decided on another version than there is.
 * @param ifMatch as {@link versionOf} read it
 * @param from where what is asked for is so already: the version that this was made from. The request's first try has
 *   succeeded then, and its repeat is let through (RFC 9110, 13.1.1)
 * @throws {Problem} 409 `conflict`
 */
export function refuseOtherVersion(ifMatch: number | undefined, version: number, from?: number): void {
  if (ifMatch === undefined || ifMatch === version || ifMatch === from) return;
  const versions = { expectedVersion: ifMatch, foundVersion: version };
  throw new Problem('conflict', 'the resource is at another version: read it again', { versions });
}
