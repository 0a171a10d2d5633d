import type { Table } from '@orderly/kit/aws';
import { type Answer, negotiateMediaType, Problem } from '@orderly/kit/http';
import type { DailyReport } from './contract.js';
import type { Days } from './days.js';
import { toCsv } from './domain/csv.js';
import { ReportsProblem } from './problems.js';
import { readFirstReport, readReport } from './report-store.js';

const [JSON_TYPE, CSV_TYPE] = ['application/json', 'text/csv'] as const;

/**
 * Answers with the report of a day.
 * @param accept the request's `Accept`
 * @throws {Problem} 404 `not-closed-yet` with the time at which the day closes, or 404 `not-found` for a day before the
 *   first event; 406 `not-acceptable`
 */
export async function getReport(
  table: Table,
  days: Days,
  date: string,
  accept: string | undefined,
): Promise<Answer<DailyReport | string, 200>> {
  const type = negotiateMediaType(accept, [JSON_TYPE, CSV_TYPE]);
  const report = await readReport(table, date);
  if (!report) throw await explainMissingReport(table, days, date);
  const headers = { Vary: 'Accept' };
  if (type === JSON_TYPE) return { status: 200, body: report, headers };
  const name = `attachment; filename="report-${date}.csv"`;
  const mediaType = `${CSV_TYPE}; charset=utf-8; header=present`;
  return { status: 200, body: toCsv(report), mediaType, headers: { ...headers, 'Content-Disposition': name } };
}

/**
 * Returns why a day has no report. Days are reported from that of the first event on, and the report of that day has
 * number 1. Other days wait until they close, or their pages are being counted.
 */
async function explainMissingReport(table: Table, days: Days, date: string): Promise<Problem> {
  const first = await readFirstReport(table);
  const isOutside = days.windows.idOf(days.startOf(date)) !== date;
  if (isOutside || (first?.number === 1 && date < first.date)) {
    return new Problem('not-found', 'this day has no report: reports begin with the day of the first event');
  }
  const closesAt = days.closesAt(date);
  return new Problem(
    ReportsProblem['not-closed-yet'],
    `the day ${date} has no report yet: it closes at ${closesAt}, and its report follows within minutes`,
    { closesAt },
  );
}
