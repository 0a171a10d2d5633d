import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Problem } from './errors.js';

/** Query of every list. */
export const Paging = {
  limit: z.exactOptional(z.string().check(z.regex(/^([1-9]\d?|100)$/, 'expected a whole number from 1 to 100'))),
  cursor: z.exactOptional(z.string().check(z.maxLength(1024))),
};

/** @returns how many items a page has; 20 by default */
export const limitOf = ({ limit }: { readonly limit?: string }): number => Number(limit ?? 20);

/**
 * A place in a list, with the list it is a place in: logical, so that it survives a rebuild of the list. Not secret and
 * not signed, since a list only ever reads its caller's own partition; the check sum finds damage.
 * @param list which list, with its filter: `orders of <customerId>`
 */
export function cursorOf(list: string, position: unknown): string {
  const text = JSON.stringify([position, list]);
  return Buffer.from(checkSum(text) + text).toString('base64url');
}

/**
 * @returns the position, or nothing where there is no cursor
 * @throws {Problem} 400 where it doesn't parse, was tampered with, or belongs to another list
 */
export function positionOf<Position>(
  list: string,
  cursor: string | undefined,
  schema: z.ZodMiniType<Position>,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, 'base64url').toString('utf8');
  const text = bytes.slice(CHECK_SUM);
  if (bytes.slice(0, CHECK_SUM) === checkSum(text) && cursorBytes(bytes) === cursor) {
    const result = z.safeParse(z.tuple([schema, z.literal(list)]), parsed(text));
    if (result.success) return result.data[0] as Position;
  }
  const detail = 'expected the nextCursor of an earlier page of this list, unchanged and with the same filter';
  throw new Problem('invalid-request', 'invalid cursor', { errors: [{ parameter: 'cursor', detail }] });
}

/** The check sum is no secret: what somebody made up may be anything. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const CHECK_SUM = 8;
const checkSum = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, CHECK_SUM);
const cursorBytes = (bytes: string): string => Buffer.from(bytes).toString('base64url');
