import type { Table } from '@orderly/kit/aws';
import type { BatchHandlers } from '@orderly/kit/inbox';
import type { Days } from './days.js';
import { buildReport } from './domain/report.js';
import { type CountedEvent, tallyEvents } from './domain/tally.js';
import { pageWrite, readReport, readTallyOfDay, reportWrite } from './report-store.js';
import { isSynthetic } from './synthetic-events.js';

/**
 * Counts a day that has closed, page by page, and reports it after the last page. The inbox numbers the days, and commits
 * each write with the progress of the day.
 * @param syntheticCustomer whose orders are left out
 */
export const createReportHandlers = (
  table: Table,
  { windows, timeZone, startOf }: Days,
  syntheticCustomer?: string,
): BatchHandlers<CountedEvent> => ({
  page: ({ page, messages }, { id: date }) => {
    const counted = messages.filter((message) => !isSynthetic(message, syntheticCustomer));
    return { decide: async () => [pageWrite(table, date, page, tallyEvents(counted))] };
  },
  close: async ({ id: date, number, pages }) => {
    // A report never changes. So if another generation of the inbox collects a day again, its report is there already.
    if (await readReport(table, date)) return { decide: async () => [] };
    const tally = await readTallyOfDay(table, date, pages);
    const day = { number, date, timeZone, from: startOf(date), to: windows.endOf(date) };
    return { decide: async () => [reportWrite(table, buildReport(day, tally))] };
  },
});
