import { tableOfFunction } from '@orderly/kit/aws';
import { endpoint } from '../endpoint.js';
import { ReportDate } from './contract.js';
import { daysOfFunction } from './days.js';
import { getReport } from './get-report.js';

const table = tableOfFunction();
const days = daysOfFunction();

/** GET /reports/daily/{date}: the report of a day, as JSON or CSV. */
export const handler = endpoint({ roles: ['operator'] }, ({ parameter, header }) =>
  getReport(table, days, parameter('date', ReportDate), header('accept')),
);
