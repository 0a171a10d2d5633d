import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { CallerId, decodeCursor, encodeCursor, parseLimit } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { accounts } from './aggregates.js';
import { createExhaustedList, readExhaustedAccounts } from './exhausted-list.js';
import { listAccounts } from './routes.js';

const list = createExhaustedList(eventStoreFromEnvironment(accounts));
const LIST = 'accounts without credit';

/** GET /accounts?creditExhausted=true: lists customers who have used up their credit, eventually consistent. */
export const handler = endpoint(listAccounts, async ({ query }) => {
  const limit = parseLimit(query);
  const found = await readExhaustedAccounts(list, decodeCursor(LIST, query.cursor, CallerId), limit);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: encodeCursor(LIST, last.customerId) } : {}) } };
});
