import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { createDays } from '../../../lambdas/reports/days.js';
import { type CountedEvent, tallyEvents } from '../../../lambdas/reports/domain/tally.js';
import { getReport } from '../../../lambdas/reports/get-report.js';
import { createReportHandlers } from '../../../lambdas/reports/on-day.js';
import { pageWrite, readReportsBefore, readTallyOfDay, reportWrite } from '../../../lambdas/reports/report-store.js';
import { moneyEvents, orderEvents } from '../../../lambdas/reports/subscriptions.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { dynamoDbTable, type Table } from '../../../packages/kit/aws/table.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { BatchRunner, type BatchRunnerOptions } from '../../../packages/kit/inbox/batch-runner.js';
import { collect } from '../../../packages/kit/inbox/batch-source.js';
import { Receiver } from '../../../packages/kit/inbox/receiver.js';
import { windowKey } from '../../../packages/kit/inbox/window-keys.js';
import { messageIdOf } from '../../../packages/kit/messages/envelope.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { bodyOf, SETTINGS } from '../../kit/inbox/parcels.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { approved, charged, placed } from './counted.js';

const CONSUMER = { name: 'reports-daily', generation: 0 };
const DAYS = createDays({ timeZone: 'Europe/Berlin', closeAfterSeconds: 3600 });
const [MONDAY, TUESDAY, WEDNESDAY] = ['2026-01-05', '2026-01-06', '2026-01-07'];
const options = { table: 'records', consumer: CONSUMER };
let table: Table;
let receiver: Receiver;
let runner: BatchRunner;

beforeAll(() => functionEnvironment());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-05T10:00:00.000Z') });
  inProcessDynamoDb(
    { table: ['pk', 'sk'], records: ['pk'] },
    { records: { due: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] } },
  );
  table = dynamoDbTable('table');
  receiver = new Receiver({ ...options, app: 'app', windowSeconds: 35 * 86_400, commanders: [], mode: 'batch' });
  runner = new BatchRunner({
    ...options,
    service: 'reports',
    windowSeconds: 35 * 86_400,
    settings: { ...SETTINGS, mode: 'batch', pageSize: 2, graceSeconds: 3600 },
    queue: 'queue',
    isRefusal: () => false,
    sources: [collect(orderEvents), collect(moneyEvents)],
    windows: DAYS.windows,
    handlers: createReportHandlers(table, DAYS) as never,
  });
});
afterEach(() => vi.useRealTimers());

let sent = 0;
/** Events that arrive together. @param time of the events */
async function arrive(time: string, ...events: readonly CountedEvent[]): Promise<void> {
  const messages = events.map((event) => {
    const contract = event.type.startsWith('Payment') ? paymentsContract : ordersContract;
    return eventMessage(contract, event, { id: `m${++sent}`, time });
  });
  const attributes = { ApproximateReceiveCount: '1' };
  const records = messages.map((message) => ({
    messageId: message.id,
    body: bodyOf(message),
    attributes,
    messageAttributes: {},
  }));
  await receiver.receiveBatch({ Records: records } as never);
  await runner.runAll(
    messages.map((message) => ({ record: recordKey(CONSUMER, messageIdOf(message)) })),
    () => 60_000,
  );
}
/** Closes a day as the sweeper does, an hour after its end. */
async function close(date: string): Promise<void> {
  vi.setSystemTime(DAYS.closesAt(date));
  await runner.runAll([{ record: windowKey(CONSUMER, date) }], () => 60_000);
}
/** Lets another generation of the inbox collect everything again. */
function nextGeneration(): void {
  const consumer = { ...CONSUMER, generation: CONSUMER.generation + 1 };
  const again = { ...options, consumer };
  receiver = new Receiver({ ...again, app: 'app', windowSeconds: 35 * 86_400, commanders: [], mode: 'batch' });
  runner = new BatchRunner({ ...(runner as unknown as { options: BatchRunnerOptions }).options, ...again });
}
const json = async (date: string) => (await getReport(table, DAYS, date, undefined)).body;

describe('the report of a day', () => {
  test('counts the events of all of its pages, and has the number of the day', async () => {
    await arrive('2026-01-05T10:00:00.000Z', placed('TEA-1'), approved, charged(500, 'EUR', 30));
    await arrive('2026-01-05T22:59:59.999Z', placed('TEA-1'));
    // Midnight in Berlin.
    await arrive('2026-01-05T23:00:00.000Z', placed('CUP-1'));
    await close(MONDAY);
    expect(await json(MONDAY)).toMatchObject({
      number: 1,
      date: MONDAY,
      timeZone: 'Europe/Berlin',
      from: '2026-01-04T23:00:00.000Z',
      to: '2026-01-05T23:00:00.000Z',
      events: 4,
      orders: { placed: 2, approved: 1 },
      money: [{ currency: 'EUR', gross: 500, fees: 30 }],
      topSkus: [{ sku: 'TEA-1', quantity: 2 }],
    });
  });

  test('stays as it is if another generation of the inbox collects its day again', async () => {
    await arrive('2026-01-05T10:00:00.000Z', placed('TEA-1'));
    await close(MONDAY);
    const report = await json(MONDAY);
    nextGeneration();
    const consumer = { ...CONSUMER, generation: CONSUMER.generation + 1 };
    const id = '01900000-0000-7000-8000-000000000001';
    const again = eventMessage(ordersContract, placed('TEA-1'), { id, time: '2026-01-05T10:00:00.000Z' });
    const attributes = { ApproximateReceiveCount: '1' };
    await receiver.receiveBatch({
      Records: [{ messageId: 'm', body: bodyOf(again), attributes, messageAttributes: {} }],
    } as never);
    await runner.runAll([{ record: recordKey(consumer, id) }], () => 60_000);
    await runner.runAll([{ record: windowKey(consumer, MONDAY) }], () => 60_000);
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: 'records', Key: { pk: windowKey(consumer, MONDAY) } }),
    );
    expect(Item).toMatchObject({ status: 'PROCESSED' });
    expect(await json(MONDAY)).toEqual(report);
  });

  test('exists for a day without events, and a late event is counted on the next open day', async () => {
    await arrive('2026-01-05T10:00:00.000Z', placed('TEA-1'));
    await close(MONDAY);
    await close(TUESDAY);
    await arrive('2026-01-05T11:00:00.000Z', approved);
    await close(WEDNESDAY);
    const before = await json(MONDAY);
    expect(await json(TUESDAY)).toMatchObject({ number: 2, events: 0 });
    expect(await json(WEDNESDAY)).toMatchObject({
      number: 3,
      events: 1,
      orders: { approved: 1 },
      late: { events: 1, days: [{ date: MONDAY, events: 1 }] },
    });
    expect(await json(MONDAY)).toEqual(before);
  });

  test('the report as CSV is a file for a spreadsheet', async () => {
    await arrive('2026-01-05T10:00:00.000Z', placed('TEA-1'));
    await close(MONDAY);
    const answer = await getReport(table, DAYS, MONDAY, 'text/csv');
    expect(answer).toMatchObject({
      status: 200,
      mediaType: 'text/csv; charset=utf-8; header=present',
      headers: { Vary: 'Accept', 'Content-Disposition': 'attachment; filename="report-2026-01-05.csv"' },
    });
    expect(answer.body).toContain('1,2026-01-05,orders placed,,,1\r\n');
    await expect(getReport(table, DAYS, MONDAY, 'text/html')).rejects.toMatchObject({ code: 'not-acceptable' });
  });

  test('the report is not written twice', async () => {
    await arrive('2026-01-05T10:00:00.000Z', placed('TEA-1'));
    await close(MONDAY);
    const report = (await json(MONDAY)) as Parameters<typeof reportWrite>[1];
    await expect(table.transact([reportWrite(table, { ...report, number: 2 })])).rejects.toMatchObject({
      name: 'TransactionRefused',
    });
  });

  test('the report is not made of a part of its pages', async () => {
    const write = (page: number) => pageWrite(table, MONDAY, page, tallyEvents([{ event: approved }]));
    await table.transact([write(1), write(3)]);
    await expect(readTallyOfDay(table, MONDAY, 3)).rejects.toMatchObject({ name: 'PageMissing' });
    await table.transact([write(2), write(2 + 2)]);
    expect((await readTallyOfDay(table, MONDAY, 3)).get('approved/')).toBe(3n);
  });
});

describe('a day without a report', () => {
  const problem = (date: string) => getReport(table, DAYS, date, undefined).catch((error) => error);

  test('says when it closes', async () => {
    for (const date of [MONDAY, '2026-03-29', '2999-12-31']) {
      expect(await problem(date)).toMatchObject({
        code: 'not-closed-yet',
        status: 404,
        extra: { closesAt: DAYS.closesAt(date) },
      });
    }
    // An hour after the end of a day with 23 hours.
    expect(DAYS.closesAt('2026-03-29')).toBe('2026-03-29T23:00:00.000Z');
  });

  test('a day before the first event is not found, and a day waits if earlier days wait', async () => {
    await table.transact([reportWrite(table, { date: TUESDAY, number: 1 } as never)]);
    expect(await problem(MONDAY)).toMatchObject({ code: 'not-found' });
    expect(await problem(WEDNESDAY)).toMatchObject({ code: 'not-closed-yet' });
  });

  test('waits if it comes before a report that is not the first one', async () => {
    await table.transact([reportWrite(table, { date: TUESDAY, number: 2 } as never)]);
    expect(await problem(MONDAY)).toMatchObject({ code: 'not-closed-yet' });
  });

  test('a day that the time zone has left out is not found', async () => {
    const apia = createDays({ timeZone: 'Pacific/Apia', closeAfterSeconds: 60 });
    await expect(getReport(table, apia, '2011-12-30', undefined)).rejects.toMatchObject({ code: 'not-found' });
    await expect(getReport(table, apia, '2011-12-31', undefined)).rejects.toMatchObject({ code: 'not-closed-yet' });
  });
});

test('reports are listed from the newest day on', async () => {
  for (const [at, date] of [MONDAY, TUESDAY, WEDNESDAY].entries())
    await table.transact([reportWrite(table, { date, number: at + 1 } as never)]);
  const dates = async (before: string | undefined, limit: number) =>
    (await readReportsBefore(table, before, limit)).map(({ date }) => date);
  expect(await dates(undefined, 2)).toEqual([WEDNESDAY, TUESDAY]);
  expect(await dates(TUESDAY, 2)).toEqual([MONDAY]);
  expect(await dates(MONDAY, 2)).toEqual([]);
});
