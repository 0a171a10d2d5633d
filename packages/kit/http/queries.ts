import * as z from 'zod/mini';
import { withDescription } from './with-description.js';

/** Query parameters of every list. */
export const Paging = {
  limit: z.exactOptional(
    withDescription(
      'Maximum number of items in this page.',
      z.string().check(z.regex(/^([1-9]\d?|100)$/, 'expected a whole number from 1 to 100')),
    ),
  ),
  cursor: z.exactOptional(
    withDescription(
      '`nextCursor` of the previous page, unchanged and with the same filter.',
      z.string().check(z.maxLength(1024)),
    ),
  ),
};

/**
 * Returns the schema of one page of a list.
 * @example answers: { 200: { description: 'The tickets, newest first', body: pageSchema(TicketView) } }
 */
// @__NO_SIDE_EFFECTS__
export function pageSchema<Item extends z.ZodMiniType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.exactOptional(withDescription('`cursor` of the next page. Absent on the last page.', z.string())),
  });
}
