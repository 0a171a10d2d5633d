import type { DailyReport } from '../contract.js';

type Cell = string | number;

const HEADER = ['report', 'date', 'entry', 'of', 'currency', 'value'] as const;

/**
 * Writes a report as CSV (RFC 4180) with a header: one row for each number of the report, so that the rows of several days
 * can be put under each other. The same report gives the same bytes.
 */
export function toCsv({ number, date, events, orders, money, topSkus, late }: DailyReport): string {
  const rows: (readonly [entry: string, of: string, currency: string, value: Cell])[] = [
    ['events', '', '', events],
    ['orders placed', '', '', orders.placed],
    ...(orders.value ?? []).flatMap((one) => [
      ['orders placed in', '', one.currency, one.orders] as const,
      ['order value', '', one.currency, one.total] as const,
      ['average order value', '', one.currency, one.average] as const,
    ]),
    ['orders approved', '', '', orders.approved],
    ['orders rejected', '', '', orders.rejected],
    ...orders.rejectedFor.map((one) => ['orders rejected for', one.reason, '', one.orders] as const),
    ['orders cancelled under way', '', '', orders.cancelledUnderWay],
    ['orders cancelled after approval', '', '', orders.cancelledAfterApproval],
    ...money.flatMap(({ currency, ...sums }) =>
      [
        ['charges', sums.charges] as const,
        ['gross', sums.gross] as const,
        ['average charge', sums.averageCharge] as const,
        ['refunds made', sums.refundsMade] as const,
        ['refunds', sums.refunds] as const,
        ['average refund', sums.averageRefund] as const,
        ['net', sums.net] as const,
        ['fees', sums.fees] as const,
        ['charges without fee', sums.chargesWithoutFee] as const,
      ].flatMap(([entry, value]) => (value === undefined ? [] : [[entry, '', currency, value] as const])),
    ),
    ...topSkus.map(({ sku, quantity }) => ['top sku', sku, '', quantity] as const),
    ['late events', '', '', late.events],
    ...late.days.map((day) => ['late events of', day.date, '', day.events] as const),
  ];
  return [HEADER, ...rows.map((row) => [number, date, ...row])].map(formatLine).join('');
}

const formatLine = (cells: readonly Cell[]): string => `${cells.map(formatCell).join(',')}\r\n`;

/** A sum, which is a formula in no spreadsheet. */
const INTEGER = /^-?\d+$/;

/**
 * Spreadsheets take text that begins with one of these for a formula, which may send the sheet to somebody else ("CSV
 * Injection", OWASP). An apostrophe marks it as text.
 */
const FORMULA = /^[=+\-@\t\r\n]/;

function formatCell(cell: Cell): string {
  const text = String(cell);
  const safe = FORMULA.test(text) && !INTEGER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
