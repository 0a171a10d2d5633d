import { expect, test } from 'vitest';
import { toCsv } from '../../../../lambdas/reports/domain/csv.js';
import { buildReport } from '../../../../lambdas/reports/domain/report.js';
import { parseTally, serializeTally, sumTallies, tallyEvents } from '../../../../lambdas/reports/domain/tally.js';
import { approved, cancelled, charged, placed, placedFor, refunded, rejected } from '../counted.js';

const DAY = {
  number: 7,
  date: '2026-01-05',
  timeZone: 'Europe/Berlin',
  from: '2026-01-04T23:00:00.000Z',
  to: '2026-01-05T23:00:00.000Z',
};
const of = (...events: readonly Parameters<typeof tallyEvents>[0][number]['event'][]) =>
  buildReport(DAY, tallyEvents(events.map((event) => ({ event }))));

test('orders are counted by their ends, and rejections by their reasons', () => {
  const { orders, events } = of(
    placed('TEA-1'),
    approved,
    approved,
    rejected('PRICE_CHANGED'),
    rejected('OUT_OF_STOCK'),
    rejected('PRICE_CHANGED'),
    cancelled(true),
    cancelled(false),
  );
  expect(events).toBe(8);
  expect(orders).toEqual({
    placed: 1,
    approved: 2,
    rejected: 3,
    rejectedFor: [
      { reason: 'OUT_OF_STOCK', orders: 1 },
      { reason: 'PRICE_CHANGED', orders: 2 },
    ],
    cancelledUnderWay: 1,
    cancelledAfterApproval: 1,
    value: [{ currency: 'EUR', orders: 1, total: 100, average: 100 }],
  });
});

test('money is summed up by currency; fees are summed up as far as they are known', () => {
  const { money } = of(
    charged(1_000, 'USD', 59),
    charged(500, 'USD'),
    refunded(200, 'USD'),
    charged(2_000, 'EUR', 41),
    refunded(3_000, 'EUR'),
  );
  expect(money).toEqual([
    // The fee of the dollars was taken in euros.
    {
      currency: 'EUR',
      charges: 1,
      averageCharge: 2_000,
      refundsMade: 1,
      averageRefund: 3_000,
      gross: 2_000,
      refunds: 3_000,
      net: -1_000,
      fees: 100,
      chargesWithoutFee: 0,
    },
    {
      currency: 'USD',
      charges: 2,
      averageCharge: 750,
      refundsMade: 1,
      averageRefund: 200,
      gross: 1_500,
      refunds: 200,
      net: 1_300,
      fees: 0,
      chargesWithoutFee: 1,
    },
  ]);
});

test('a sum that no number holds exactly is text', () => {
  const most = Number.MAX_SAFE_INTEGER;
  expect(of(charged(most, 'EUR')).money[0]).toMatchObject({ gross: most });
  expect(of(charged(most, 'EUR'), charged(most, 'EUR')).money[0]).toMatchObject({ gross: '18014398509481982' });
});

test('the average of placed orders is by currency, and rounded half up', () => {
  expect(
    of(placedFor(1, 'USD'), placedFor(2, 'USD'), placed('a'), placed('b'), placedFor(101, 'EUR')).orders.value,
  ).toEqual([
    // 301 / 3 = 100.33
    { currency: 'EUR', orders: 3, total: 301, average: 100 },
    // 1.5
    { currency: 'USD', orders: 2, total: 3, average: 2 },
  ]);
});

test.each([
  [[0], 0],
  [[0, 0, 1], 0],
  [[0, 1], 1],
  [[1, 1, 2], 1],
  [[1, 2, 2], 2],
  [[Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], Number.MAX_SAFE_INTEGER],
])('the average of charges of %j is %d; without any there is none', (amounts, average) => {
  expect(of(...amounts.map((amount) => charged(amount, 'EUR'))).money[0]).toMatchObject({ averageCharge: average });
  const [money] = of(...amounts.map((amount) => refunded(amount, 'EUR'))).money;
  expect(money).toMatchObject({ charges: 0, averageRefund: average });
  expect(money).not.toHaveProperty('averageCharge');
});

test('an average is the same however the events were divided into pages', () => {
  const events = [1, 2, 2, 5].flatMap((amount) => [placedFor(amount, 'EUR'), charged(amount, 'EUR')]);
  const pages = [events.slice(0, 1), events.slice(1, 6), events.slice(6)];
  const tallies = pages.map((page) => parseTally(serializeTally(tallyEvents(page.map((event) => ({ event }))))));
  expect(buildReport(DAY, sumTallies(tallies))).toEqual(of(...events));
});

test('a day of which an earlier release counted a page has no average of orders, rather than a wrong one', () => {
  const before = parseTally('{"events/":"1","placed/":"1","ordered/TEA-1":"2"}');
  const { orders } = buildReport(DAY, sumTallies([before, tallyEvents([{ event: placed('TEA-1') }])]));
  expect(orders).toMatchObject({ placed: 2 });
  expect(orders).not.toHaveProperty('value');
});

test('the ten products that were ordered most are named, the largest first, then by SKU', () => {
  const skus = Array.from({ length: 12 }, (_, at) => `SKU-${String.fromCharCode(76 - at)}`);
  // The first of each order has quantity 1, the second 2.
  const { topSkus } = of(
    ...skus.map((sku) => placed(sku)),
    placed('one', 'SKU-L'),
    placed('one', 'b'),
    placed('a', 'b'),
  );
  expect(topSkus.map(({ sku, quantity }) => `${sku} ${quantity}`)).toEqual([
    'b 4',
    'SKU-L 3',
    'one 2',
    'SKU-A 1',
    'SKU-B 1',
    'SKU-C 1',
    'SKU-D 1',
    'SKU-E 1',
    'SKU-F 1',
    'SKU-G 1',
  ]);
});

test('late events are counted with the days that they are late from', () => {
  const tally = tallyEvents([
    { event: approved, lateFrom: '2026-01-04' },
    { event: approved },
    { event: placed('a'), lateFrom: '2026-01-02' },
    { event: approved, lateFrom: '2026-01-04' },
  ]);
  expect(buildReport(DAY, tally)).toMatchObject({
    events: 4,
    orders: { approved: 3, placed: 1 },
    late: {
      events: 3,
      days: [
        { date: '2026-01-02', events: 1 },
        { date: '2026-01-04', events: 2 },
      ],
    },
  });
});

test('a day without events has a report, too', () => {
  expect(of()).toEqual({
    ...DAY,
    events: 0,
    orders: {
      placed: 0,
      approved: 0,
      rejected: 0,
      rejectedFor: [],
      cancelledUnderWay: 0,
      cancelledAfterApproval: 0,
      value: [],
    },
    money: [],
    topSkus: [],
    late: { events: 0, days: [] },
  });
});

test('each number of a CSV report is a row, and all rows have the same columns', () => {
  const tally = tallyEvents([
    { event: placed('TEA-1') },
    { event: rejected('OUT_OF_STOCK') },
    { event: charged(2_000, 'EUR', 41), lateFrom: '2026-01-04' },
  ]);
  expect(toCsv(buildReport(DAY, tally)).split('\r\n')).toEqual([
    'report,date,entry,of,currency,value',
    '7,2026-01-05,events,,,3',
    '7,2026-01-05,orders placed,,,1',
    '7,2026-01-05,orders placed in,,EUR,1',
    '7,2026-01-05,order value,,EUR,100',
    '7,2026-01-05,average order value,,EUR,100',
    '7,2026-01-05,orders approved,,,0',
    '7,2026-01-05,orders rejected,,,1',
    '7,2026-01-05,orders rejected for,OUT_OF_STOCK,,1',
    '7,2026-01-05,orders cancelled under way,,,0',
    '7,2026-01-05,orders cancelled after approval,,,0',
    '7,2026-01-05,charges,,EUR,1',
    '7,2026-01-05,gross,,EUR,2000',
    '7,2026-01-05,average charge,,EUR,2000',
    '7,2026-01-05,refunds made,,EUR,0',
    '7,2026-01-05,refunds,,EUR,0',
    '7,2026-01-05,net,,EUR,2000',
    '7,2026-01-05,fees,,EUR,41',
    '7,2026-01-05,charges without fee,,EUR,0',
    '7,2026-01-05,top sku,TEA-1,,1',
    '7,2026-01-05,late events,,,1',
    '7,2026-01-05,late events of,2026-01-04,,1',
    '',
  ]);
});

test.each([
  ['=HYPERLINK(1)', "'=HYPERLINK(1)"],
  ['-TEA', "'-TEA"],
  ['+1+1', "'+1+1"],
  ['@SUM', "'@SUM"],
  ['-5', '-5'],
  ['a"b', '"a""b"'],
  ['a,b', '"a,b"'],
  ['a\r\nb', '"a\r\nb"'],
  ['=1,"2"', `"'=1,""2"""`],
])('the text %j in CSV is no formula, and stays one cell: %s', (sku, cell) => {
  const report = { ...of(), topSkus: [{ sku, quantity: 1 }] };
  expect(toCsv(report)).toContain(`,top sku,${cell},,1\r\n`);
});
