import { MAX_WAIT_SECONDS } from './contract.js';

/** A preference up to the comma before the next one. A quoted text may contain commas and escaped characters. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;

/**
 * Reads `Prefer: wait=20`: for how many seconds the client wants to wait. More than {@link MAX_WAIT_SECONDS} count as
 * {@link MAX_WAIT_SECONDS}.
 *
 * A preference is a wish, so one that is malformed or unknown is ignored; of several of one name, the first counts (RFC 7240, 2). Names
 * are compared without regard to case, and parameters behind `;` say nothing about `wait` (RFC 7240, 4.3).
 * @param prefer values of the header, with commas between them
 * @returns `undefined` if the client doesn't want to wait
 */
export function parsePreferredWait(prefer: string | undefined): number | undefined {
  const [first] = [...(prefer ?? '').matchAll(PREFERENCE)].flatMap(([preference]) => {
    const [, name = '', value = ''] =
      /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*([^;\s]*))?\s*(?:;.*)?$/.exec(preference) ?? [];
    return name.toLowerCase() === 'wait' ? [value] : [];
  });
  const [, digits] = /^"?(\d+)"?$/.exec(first ?? '') ?? [];
  const seconds = Math.min(Number(digits ?? 0), MAX_WAIT_SECONDS);
  return seconds > 0 ? seconds : undefined;
}
