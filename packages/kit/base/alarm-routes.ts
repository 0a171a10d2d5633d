import type { IAlarmRef } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { runbookHint } from './runbook.js';

/** Whether an alarm wakes somebody (`page`), or waits for working hours (`ticket`). */
export type Severity = 'page' | 'ticket';

/** Other topic and alarms that belong to a topic of pages. */
export interface AlarmRoutes {
  /** Topic of the tickets. @default the topic of the pages */
  readonly tickets?: ITopic;
  /** Alarm that is on while the bus refuses events of any service. It silences what follows from it in each service. */
  readonly busRefuses?: IAlarmRef;
}

const ROUTES = new WeakMap<ITopic, AlarmRoutes>();

/**
 * Tells where the tickets go whose constructs know the topic of the pages only. `Platform` calls it for its topics. Without it,
 * pages and tickets go to one topic.
 */
export function routeAlarms(pages: ITopic, routes: AlarmRoutes): void {
  ROUTES.set(pages, { ...ROUTES.get(pages), ...routes });
}

/** Returns what belongs to a topic of pages. */
export const routesOf = (pages: ITopic): AlarmRoutes => ROUTES.get(pages) ?? {};

/** Returns the topic that an alarm of a severity notifies. */
export const topicOf = (pages: ITopic, severity: Severity): ITopic =>
  severity === 'page' ? pages : (routesOf(pages).tickets ?? pages);

/** Returns the description of an alarm. Its first word is the alarm's heading in the runbook, and tools read its severity. */
export const describeAlarm = (scope: Construct, name: string, means: string, severity: Severity): string =>
  `${name}: ${means} Severity: ${severity}.${runbookHint(scope, name)}`;
