import { beforeAll, describe, expect, test } from 'vitest';
import type { DailyReport } from '../../lambdas/reports/contract.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { world } from '../support/world.js';
import { line, placed, stocked } from './orders.js';
import type { ProblemBody } from './world.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** More than a page. */
const CHARGES = 22;

const reportOf = (date: string, Accept = 'application/json') =>
  world.call<DailyReport & ProblemBody & { closesAt?: string }>({
    method: 'GET',
    path: `/reports/daily/${date}`,
    as: 'operator',
    headers: { Accept },
  });

/** Day of a time in Berlin. */
const dateOf = (time: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(Date.parse(time));

/** Hour of a time in Berlin, 0 to 23. */
const hourOf = (time: string): number =>
  Number(
    new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', hourCycle: 'h23' }).format(
      Date.parse(time),
    ),
  );

/** Returns an event that only reports hear. @param secondsAgo age of the event */
function charged(amount: number, secondsAgo = 0): Envelope {
  const paymentId = world.uuid();
  return {
    specversion: '1.0',
    id: world.uuid(),
    source: 'orderly.payments',
    type: 'PaymentCharged',
    subject: `Payment/${paymentId}`,
    time: world.time(secondsAgo),
    dataschema: 'urn:orderly:payments:PaymentCharged:1',
    data: { paymentId, amount: { amount, currency: 'EUR' } },
    sequence: 1,
    epoch: 0,
    correlationid: 'scenario',
    causationid: 'scenario',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    actor: 'service:payments',
  };
}

/** Returns everything that a report counts. */
const countedIn = ({ number: _, date: __, from: ___, to: ____, ...counted }: DailyReport) => counted;

/** A day closes an hour after its end, so these need a world whose time can pass. */
describe.skipIf(!world.passesDays)('when a day is reported (needs days that pass)', () => {
  let [first, second, third] = ['', '', ''];
  // What follows takes two hours more than days: an evening would end in the night.
  beforeAll(async () => {
    const hour = hourOf(world.time());
    if (hour >= 20) await world.pass((26 - hour) * HOUR);
    [first, second, third] = [0, DAY, 2 * DAY].map((seconds) => dateOf(world.time(-seconds))) as [
      string,
      string,
      string,
    ];
  });

  test('a report after a crash in the middle of a page equals the one without', async () => {
    const amounts = Array.from({ length: CHARGES }, (_, at) => 100 + at);
    const days = [amounts.map((amount) => charged(amount)), amounts.map((amount) => charged(amount, -DAY))];
    await world.publish(...days.flat());
    for (const { id } of days.flat()) {
      await world.eventually(`${id} is collected`, async () =>
        expect(await world.readRecord('reports-daily', id)).toMatchObject({ window: expect.any(String) }),
      );
    }
    // The first page of the first day: nothing is committed. The second one: all of it is, and nobody knows.
    await world.crash('reports/on-day', 'beforeWrite', { including: `PAGES#${first}` });
    await world.crash('reports/on-day', 'afterWrite', { including: `PAGES#${first}"},"sk":{"S":"000002"}` });
    await world.pass(2 * DAY + 2 * HOUR);
    await world.heal();
    const [one, other] = await Promise.all([reportOf(first), reportOf(second)]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect([one.body.number, other.body.number]).toEqual([1, 2]);
    expect(one.body).toMatchObject({ events: CHARGES, money: [{ gross: amounts.reduce((sum, one) => sum + one) }] });
    expect(JSON.stringify(countedIn(one.body))).toBe(JSON.stringify(countedIn(other.body)));
  });

  test('a late message is counted on the open day, and the report of its own day stays as it is', async () => {
    const before = (await reportOf(first)).text;
    const late = charged(1_000, Number(2.5 * DAY));
    const day = dateOf(late.time);
    await world.publish(late);
    await world.eventually('it is collected', async () =>
      expect(await world.readRecord('reports-daily', late.id)).toMatchObject({ window: third, lateFrom: day }),
    );
    // An order of the same day.
    const sku = await stocked(10);
    const { orderId } = await placed([line(sku, 3)]);
    await world.settled(orderId);
    const missing = await reportOf(third);
    expect(missing).toMatchObject({ status: 404, body: { type: 'urn:orderly:problem:not-closed-yet' } });
    expect(Date.parse(missing.body.closesAt ?? '')).toBeGreaterThan(Date.parse(world.time()));
    await world.pass(DAY);
    const { body } = await reportOf(third);
    expect(body).toMatchObject({
      number: 3,
      orders: {
        placed: 1,
        approved: 1,
        value: [{ currency: 'EUR', orders: 1, total: 3 * 350, average: 3 * 350 }],
      },
      money: [{ gross: 1_000 + 3 * 350, charges: 2, averageCharge: 1_025 }],
      topSkus: [{ sku, quantity: 3 }],
      late: { events: 1, days: [{ date: day, events: 1 }] },
    });
    expect((await reportOf(first)).text).toBe(before);
  });

  test('a day without events has a report, and a day before the first one has none', async () => {
    await world.pass(DAY);
    const { body } = await world.call<{ items: DailyReport[]; nextCursor: string }>({
      method: 'GET',
      path: '/reports/daily?limit=3',
      as: 'operator',
    });
    expect(body.items.map(({ number, events }) => [number, events > 0])).toEqual([
      [4, false],
      [3, true],
      [2, true],
    ]);
    const path = `/reports/daily?limit=3&cursor=${body.nextCursor}`;
    const rest = await world.call<{ items: DailyReport[] }>({ method: 'GET', path, as: 'operator' });
    expect(rest.body.items.map(({ date }) => date)).toEqual([first]);
    expect(rest.body).not.toHaveProperty('nextCursor');
    expect(await reportOf('2025-12-31')).toMatchObject({
      status: 404,
      body: { type: 'urn:orderly:problem:not-found' },
    });
  });

  test('it comes as JSON or CSV, as Accept says', async () => {
    const csv = await reportOf(first, 'text/csv, application/json;q=0.5');
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="report-${first}.csv"`,
      vary: 'Accept',
    });
    expect(csv.text).toContain(`\r\n1,${first},charges,,EUR,${CHARGES}\r\n`);
    expect(await reportOf(first, 'text/html')).toMatchObject({
      status: 406,
      body: { type: 'urn:orderly:problem:not-acceptable' },
    });
  });
});

test.each(['2026-02-30', '1999-12-31', 'yesterday', '2026-1-5'])('%s is no day of a report: 400', async (date) => {
  expect(await reportOf(date)).toMatchObject({
    status: 400,
    body: { errors: [{ parameter: 'date', detail: expect.stringContaining('expected a day as yyyy-mm-dd') }] },
  });
});
