import { tableFromEnvironment } from '@orderly/kit/aws';
import { endpoint } from '../endpoint.js';
import { ReportDate } from './contract.js';
import { daysFromEnvironment } from './days.js';
import { getReport as reportOf } from './get-report.js';
import { getReport } from './routes.js';

const table = tableFromEnvironment();
const days = daysFromEnvironment();

/** GET /reports/daily/{date}: the report of a day, as JSON or CSV. */
export const handler = endpoint(getReport, ({ parameter, header }) =>
  reportOf(table, days, parameter('date', ReportDate), header('accept')),
);
