import { Paging, pageSchema } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import type { Route } from '../route.js';
import { DailyReportView } from './contract.js';
import type { ReportsProblem } from './problems.js';

type ReportsRoute = Route<typeof ReportsProblem>;

export const getReport = {
  method: 'GET',
  path: '/reports/daily/{date}',
  id: 'getDailyReport',
  summary: 'Read the report of a day',
  description:
    'As JSON, or as CSV (RFC 4180, with a header) for `Accept: text/csv`. A day closes some time after its end, and its report follows within minutes.',
  roles: ['operator'],
  answers: {
    200: {
      description: 'The report',
      body: DailyReportView,
      text: 'text/csv',
      headers: {
        Vary: 'Always `Accept`.',
        'Content-Disposition': 'With CSV: `attachment`, and the name of the file.',
      },
    },
  },
  problems: ['not-closed-yet', 'not-found', 'not-acceptable'],
} as const satisfies ReportsRoute;

export const listReports = {
  method: 'GET',
  path: '/reports/daily',
  id: 'listDailyReports',
  summary: 'List the reports',
  description: 'The newest day first; strongly consistent.',
  roles: ['operator'],
  query: z.strictObject(Paging),
  answers: { 200: { description: 'A page of reports', body: pageSchema(DailyReportView) } },
} as const satisfies ReportsRoute;
