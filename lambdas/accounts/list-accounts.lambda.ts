import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { CallerId, cursorOf, limitOf, positionOf } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { accounts } from './aggregates.js';
import { exhaustedAccounts, exhaustedListOf } from './exhausted-list.js';
import { listAccounts } from './routes.js';

const list = exhaustedListOf(eventStoreOfFunction(accounts));
const LIST = 'accounts without credit';

/** GET /accounts?creditExhausted=true: lists customers who have used up their credit, eventually consistent. */
export const handler = endpoint(listAccounts, async ({ query }) => {
  const limit = limitOf(query);
  const found = await exhaustedAccounts(list, positionOf(LIST, query.cursor, CallerId), limit);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: cursorOf(LIST, last.customerId) } : {}) } };
});
