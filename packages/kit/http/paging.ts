import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Problem } from './errors.js';

/** Returns how many items a page has; 20 by default. */
export const parseLimit = ({ limit }: { readonly limit?: string }): number => Number(limit ?? 20);

/**
 * Encodes a position in a list, together with the list's name, as a cursor.
 *
 * The position is logical, so a cursor survives a rebuild of the list. Cursors are neither secret nor signed, since a
 * list reads only its caller's own partition. The checksum detects damage.
 * @param list name of the list with its filter, such as `orders of <customerId>`
 * @example encodeCursor(`orders of ${customerId}`, [createdAt, orderId])
 */
export function encodeCursor(list: string, position: unknown): string {
  const text = JSON.stringify([position, list]);
  return Buffer.from(computeChecksum(text) + text).toString('base64url');
}

/**
 * Decodes a cursor.
 * @returns the position, or `undefined` if there is no cursor
 * @throws {Problem} 400 if the cursor does not parse, was changed, or belongs to another list
 */
export function decodeCursor<Position>(
  list: string,
  cursor: string | undefined,
  schema: z.ZodMiniType<Position>,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, 'base64url').toString('utf8');
  const text = bytes.slice(CHECKSUM_LENGTH);
  if (bytes.slice(0, CHECKSUM_LENGTH) === computeChecksum(text) && toBase64Url(bytes) === cursor) {
    const result = z.safeParse(z.tuple([schema, z.literal(list)]), tryParse(text));
    if (result.success) return result.data[0] as Position;
  }
  const detail = 'expected the nextCursor of an earlier page of this list, unchanged and with the same filter';
  throw new Problem('invalid-request', 'invalid cursor', { errors: [{ parameter: 'cursor', detail }] });
}

/** The checksum is no secret, so a forged cursor may contain any text. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const CHECKSUM_LENGTH = 8;
const computeChecksum = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, CHECKSUM_LENGTH);
const toBase64Url = (bytes: string): string => Buffer.from(bytes).toString('base64url');
