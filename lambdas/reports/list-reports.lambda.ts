import { tableOfFunction } from '@orderly/kit/aws';
import { cursorOf, limitOf, positionOf } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { ReportDate } from './contract.js';
import { reportsBefore } from './report-store.js';
import { listReports } from './routes.js';

const table = tableOfFunction();
const LIST = 'daily reports';

/** GET /reports/daily: lists the reports, the newest day first. */
export const handler = endpoint(listReports, async ({ query }) => {
  const limit = limitOf(query);
  const found = await reportsBefore(table, positionOf(LIST, query.cursor, ReportDate), limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: cursorOf(LIST, last.date) } : {}) } };
});
