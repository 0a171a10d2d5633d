import { bugsIn, type PlantedBug } from '../bug.js';

const onDay = bugsIn('lambdas/reports/on-day.ts');
const reportStore = bugsIn('lambdas/reports/report-store.ts');

export const REPORTS: readonly PlantedBug[] = [
  onDay('a report leaves out the events that came late', 'daily-reports', {
    from: 'tallyEvents(counted)',
    to: 'tallyEvents(counted.filter(({ lateFrom }) => lateFrom === undefined))',
  }),
  onDay('a report is written before the end of its day is committed', 'daily-reports', {
    from: 'return { decide: async () => [reportWrite(table, buildReport(day, tally))] };',
    to: `await table.transact([reportWrite(table, buildReport(day, tally))]);
    return { decide: async () => [] };`,
  }),
  reportStore('the last page of a day is not in its report', 'daily-reports', {
    from: "':last': pageSk(pages) }",
    to: "':last': pageSk(--pages) }",
  }),
];
