import { Problem } from './errors.js';

/**
 * Reads the version of `If-Match: 3`, also as an entity tag: `"3"`, or the `ETag` of a conditional answer (`"3-9f86d081"`), of which the
 * version counts. Its hash only tells bodies of one version apart, and a change is decided on the version. A weak tag is refused,
 * since `If-Match` compares strongly (RFC 9110, 13.1.1). Version 0 means that the resource was never written.
 * @throws {Problem} 400 if the header is malformed
 */
export function parseIfMatch(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, tag, version = tag] = /^(?:"(0|[1-9]\d{0,8})(?:-[0-9a-f]{8})?"|(0|[1-9]\d{0,8}))$/.exec(ifMatch) ?? [];
  if (version !== undefined) return Number(version);
  const errors = [{ header: 'If-Match', detail: 'expected the version as it was read, such as 3' }];
  throw new Problem('invalid-request', 'malformed If-Match', { errors });
}

/**
 * Refuses a change that was decided on another version than the current one.
 * @param ifMatch as {@link parseIfMatch} read it
 * @param from version from which the current version was made, if the requested state is already reached. Then the
 *   request's first attempt has succeeded, and its repeat passes (RFC 9110, 13.1.1)
 * @throws {Problem} 409 `conflict`
 * @example
 * refuseVersionMismatch(parseIfMatch(request.header('if-match')), loaded.version);
 */
export function refuseVersionMismatch(ifMatch: number | undefined, version: number, from?: number): void {
  if (ifMatch === undefined || ifMatch === version || ifMatch === from) return;
  const versions = { expectedVersion: ifMatch, foundVersion: version };
  throw new Problem('conflict', 'the resource is at another version: read it again', { versions });
}
