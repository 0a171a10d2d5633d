import { createHash } from 'node:crypto';

/** Hexadecimal digits of the hash in a tag. One version has few bodies: each role's, and the one of a forgotten person. */
const HASH_DIGITS = 8;

/**
 * Returns the entity tag of an answer: `"3-9f86d081"`. The version alone would not do: after a person is forgotten, the same version has
 * another body, and so it has for a caller with another role.
 *
 * Source: RFC 9110, 8.8.3.
 * @param version of the resource
 * @param body as it is sent
 */
export const computeEntityTag = (version: number, body: string): string =>
  `"${version}-${createHash('sha256').update(body).digest('hex').slice(0, HASH_DIGITS)}"`;

/** An entity tag in a list (RFC 9110, 8.8.3): its characters may be any visible ones but the quotation mark, so also commas. */
const TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Tells whether `If-None-Match` names the tag of the answer, so that the client has it already. `*` names every tag.
 *
 * The comparison is weak, as RFC 9110, 13.1.2, says for this header: a proxy that compresses an answer makes its tag weak.
 */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(TAG)].some(([, one]) => one === tag);
}
