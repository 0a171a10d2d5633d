import { batch, type EnvironmentProps, Service, stackProps } from '@orderly/kit/constructs';
import { Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { reportsContract } from '../lambdas/reports/contract.js';
import { type ReportDays, ReportsEnv } from '../lambdas/reports/environment.js';
import { PAGES, REPORTS } from '../lambdas/reports/keys.js';
import * as routes from '../lambdas/reports/routes.js';
import { moneyEvents, orderEvents } from '../lambdas/reports/subscriptions.js';
import { toInboxOptions } from './inbox-settings.js';
import type { Settings } from './settings.js';
import { setSyntheticCustomer } from './synthetic-order-settings.js';

/** A day is counted by one function, while another one collects what arrives. */
const RUNNERS = 2;

export interface ReportsStackProps extends EnvironmentProps {
  readonly settings: Settings;
}

/** Service `reports`: the report of each day, from the events that arrived until it closed. */
export class ReportsStack extends Stack {
  readonly service: Service;

  constructor(scope: Construct, id: string, props: ReportsStackProps) {
    const name = reportsContract.service;
    super(scope, id, stackProps(props.settings, id, `service ${name}`));
    const service = new Service(this, 'Default', { ...props, name });
    this.service = service;
    const { table } = service;
    const { timeZone, closeAfter } = props.settings.reports;
    const days: ReportDays = { timeZone, closeAfterSeconds: closeAfter.toSeconds() };

    const daily = service.addInbox('Days', {
      name: 'reports-daily',
      entry: 'reports/on-day',
      subscribesTo: [orderEvents, moneyEvents],
      fair: false,
      mode: batch({ closeAfter }),
      ...toInboxOptions(props.settings.inboxes),
      parallel: RUNNERS,
      timeout: Duration.minutes(5),
    });
    daily.grantItems(table, ['PutItem', 'Query'], PAGES);
    daily.grantItems(table, ['GetItem', 'PutItem'], REPORTS);
    setSyntheticCustomer(daily, props.settings);

    const getReport = service.addEndpoint('GetReport', routes.getReport, 'reports/get-report');
    getReport.grantItems(table, ['GetItem', 'Query'], REPORTS);
    const listReports = service.addEndpoint('ListReports', routes.listReports, 'reports/list-reports');
    listReports.grantItems(table, ['Query'], REPORTS);
    for (const handler of [daily, getReport]) handler.setEnvironment(ReportsEnv.REPORT_DAYS, JSON.stringify(days));
  }
}
