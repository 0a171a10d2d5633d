import { Problem } from './errors.js';

/**
 * `If-Match: 3`, also as an entity tag (`"3"`); 0 is what was never written.
 * @throws {Problem} 400 where it has another form
 */
export function versionOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, version] = /^"?(\d{1,9})"?$/.exec(ifMatch) ?? [];
  if (version !== undefined) return Number(version);
  const errors = [{ header: 'If-Match', detail: 'expected the version as it was read, such as 3' }];
  throw new Problem('invalid-request', 'If-Match has another form', { errors });
}
