import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { clientConfig, parseFunctions, pluralize } from '@orderly/operator';
import type { DailyReport } from '../../../lambdas/reports/contract.js';
import { type ReportDays, ReportsEnv } from '../../../lambdas/reports/environment.js';
import { OPERATOR, type Stage } from './stage.js';

const PRICE = 350;
const MINUTE = 60_000;
/** Time after the end of a day's window in which its report is certain to be there. */
const COUNTED = 3 * MINUTE;

type Missing = { readonly closesAt: string; readonly detail: string };

/** Two orders of one day. The events of the second one reach reports only when the day has closed. */
export async function play(stage: Stage): Promise<void> {
  const ann = stage.named('ann');
  const sku = await stage.article('tea', { price: PRICE, customers: [ann] });
  const approved = async () => {
    const { orderId } = await stage.place(ann, { sku, price: PRICE });
    await stage.becomes(orderId, 'APPROVED');
    return orderId;
  };
  const reportOf = (day: string) => stage.ask<DailyReport & Missing>(OPERATOR, `GET /reports/daily/${day}`);

  const day = await today(stage);
  stage.tell('An order is placed and paid. Its events are collected for the report of the day:');
  await collected(stage, await approved());
  const early = await reportOf(day);
  stage.show(`GET /reports/daily/${day}  ${early.status}  ${early.body.detail}`);

  stage.tell(
    'Reports receives nothing for a while: its event source mapping is switched off. Another order is placed and paid.',
  );
  stage.afterwards(() => switchMapping(stage, true));
  await switchMapping(stage, false);
  const late = await approved();

  const { closesAt } = early.body;
  stage.tell(
    `Midnight passes, and the day closes at ${closesAt} (a while after its end, for what is still on its way):`,
  );
  await stage.forward(Date.parse(closesAt) - stage.now + COUNTED);
  const closed = await shownReport(stage, day);

  stage.tell(
    'Reports receives again. The events of the second order are late, and count on the next day, which is open:',
  );
  await stage.repair();
  await collected(stage, late);
  const next = dayAfter(day);
  const open = await reportOf(next);
  stage.show(`GET /reports/daily/${next}  ${open.status}  ${open.body.detail}`);

  stage.tell(
    'A day later, the report of the next day says which of its events are late. The first report is as it was:',
  );
  await stage.forward(Date.parse(open.body.closesAt) - stage.now + COUNTED);
  await shownReport(stage, next);
  const same = JSON.stringify((await reportOf(day)).body) === JSON.stringify(closed);
  stage.show(`GET /reports/daily/${day}  ${same ? 'the same bytes as before' : 'CHANGED'}`);

  stage.tell('Without the pattern: a job that asks at midnight for the events of the day that is over.');
  stage.show(
    `It finds ${closed.events} events, and never the late ones. Or it is asked again later, and says something else.`,
  );
}

/** Returns the day of the reports. If it ends within minutes, the next one begins first: both orders are of one day. */
async function today(stage: Stage): Promise<string> {
  const { timeZone } = (await stage.readSetting('reports/get-report', ReportsEnv.REPORT_DAYS)) as ReportDays;
  const dayAt = (time: number): string => new Intl.DateTimeFormat('en-CA', { timeZone }).format(time);
  if (dayAt(stage.now) !== dayAt(stage.now + COUNTED)) await stage.forward(COUNTED);
  return dayAt(stage.now);
}

/** Waits until the three events of an order are collected, and shows in which day. */
async function collected(stage: Stage, orderId: string): Promise<void> {
  const lines = await stage.until(`three events of order ${orderId} in a day of the reports`, async () => {
    const shown = (await stage.orderly('order', orderId)).split('\n').filter((line) => / collected +in /.test(line));
    return shown.length === 3 ? shown : undefined;
  });
  stage.show(`orderly order ${orderId}`, ...lines.map((line) => line.trim().replace(/ +/g, ' ')));
}

const dayAfter = (day: string): string => new Date(Date.parse(day) + 24 * 60 * MINUTE).toISOString().slice(0, 10);

/** Waits for a report, and shows it. */
async function shownReport(stage: Stage, day: string): Promise<DailyReport> {
  const report = await stage.until(`the report of ${day}`, async () => {
    const { status, body } = await stage.ask<DailyReport>(OPERATOR, `GET /reports/daily/${day}`);
    return status === 200 ? body : undefined;
  });
  const { number, events, orders, late } = report;
  const days = late.days.map((one) => `, ${one.events} of them of ${one.date}`).join('');
  stage.show(
    `GET /reports/daily/${day}  200  report ${number}: ${pluralize(events, 'event')}${days}; ${pluralize(orders.approved, 'order')} approved`,
  );
  return report;
}

/** Switches the event source mapping of the reports' queue on or off. */
async function switchMapping({ endpoint, deployment }: Stage, Enabled: boolean): Promise<void> {
  const client = new LambdaClient(clientConfig(endpoint));
  const isReceiver = ({ consumer, entry }: { readonly consumer?: string; readonly entry: string }) =>
    consumer === 'reports-daily' && entry === 'kit/inbox/receive';
  const FunctionName = parseFunctions(deployment.outputs).find(isReceiver)?.name;
  const { EventSourceMappings = [] } = await client.send(new ListEventSourceMappingsCommand({ FunctionName }));
  for (const { UUID } of EventSourceMappings) await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
  client.destroy();
}
