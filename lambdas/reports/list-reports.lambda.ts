import { tableFromEnvironment } from '@orderly/kit/aws';
import { decodeCursor, encodeCursor, parseLimit } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { ReportDate } from './contract.js';
import { readReportsBefore } from './report-store.js';
import { listReports } from './routes.js';

const table = tableFromEnvironment();
const LIST = 'daily reports';

/** GET /reports/daily: lists the reports, the newest day first. */
export const handler = endpoint(listReports, async ({ query }) => {
  const limit = parseLimit(query);
  const found = await readReportsBefore(table, decodeCursor(LIST, query.cursor, ReportDate), limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: encodeCursor(LIST, last.date) } : {}) } };
});
