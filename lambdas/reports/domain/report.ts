import type { DailyReport, MoneyOfDay, OrderValue, Sum } from '../contract.js';
import { compareText, readCounts, readTotal, type Tally } from './tally.js';

/** Products in a report. */
const TOP_SKUS = 10;

/** A day, as its window names it. */
export type ReportedDay = Pick<DailyReport, 'number' | 'date' | 'timeZone' | 'from' | 'to'>;

/** Returns the report of a day. The same day and the same tally give the same bytes as JSON. */
export function buildReport(day: ReportedDay, tally: Tally): DailyReport {
  const total = (...[counter]: [Parameters<typeof readTotal>[1]]) => Number(readTotal(tally, counter));
  const { number, date, timeZone, from, to } = day;
  return {
    number,
    date,
    timeZone,
    from,
    to,
    events: total('events'),
    orders: {
      placed: total('placed'),
      approved: total('approved'),
      rejected: total('rejected'),
      rejectedFor: readCounts(tally, 'rejected').map(([reason, orders]) => ({ reason, orders: Number(orders) })),
      cancelledUnderWay: total('cancelledUnderWay'),
      cancelledAfterApproval: total('cancelledAfterApproval'),
      ...computePlacedValue(tally),
    },
    money: computeMoney(tally),
    topSkus: readCounts(tally, 'ordered')
      .toSorted(([one, less], [other, more]) => Number(more - less) || compareText(one, other))
      .slice(0, TOP_SKUS)
      .map(([sku, quantity]) => ({ sku, quantity: Number(quantity) })),
    late: {
      events: total('late'),
      days: readCounts(tally, 'late').map(([day, events]) => ({ date: day, events: Number(events) })),
    },
  };
}

/**
 * Returns the value of the placed orders by currency. An earlier release did not count it: a page that it counted, before a
 * deployment while the day closed, would make the average wrong. So the value is absent unless it is that of all orders.
 */
function computePlacedValue(tally: Tally): { readonly value?: readonly OrderValue[] } {
  if (readTotal(tally, 'placedIn') !== readTotal(tally, 'placed')) return {};
  const values = new Map(readCounts(tally, 'placedValue'));
  return {
    value: readCounts(tally, 'placedIn').map(([currency, orders]) => {
      const value = values.get(currency) ?? 0n;
      return { currency, orders: Number(orders), total: toSum(value), average: computeAverage(value, orders) };
    }),
  };
}

/** Returns the average of amounts that are not negative, rounded half up to a minor unit. @param count above 0 */
const computeAverage = (sum: bigint, count: bigint): number => Number((2n * sum + count) / (2n * count));

const BY_CURRENCY = ['charges', 'gross', 'refundsMade', 'refunds', 'fees', 'chargesWithoutFee'] as const;

function computeMoney(tally: Tally): readonly MoneyOfDay[] {
  const sums = BY_CURRENCY.map((counter) => [counter, new Map(readCounts(tally, counter))] as const);
  const currencies = new Set(sums.flatMap(([, byCurrency]) => [...byCurrency.keys()]));
  return [...currencies].sort(compareText).map((currency) => {
    const sum = Object.fromEntries(
      sums.map(([counter, byCurrency]) => [counter, byCurrency.get(currency) ?? 0n]),
    ) as Record<(typeof BY_CURRENCY)[number], bigint>;
    return {
      currency,
      charges: Number(sum.charges),
      ...(sum.charges > 0n && { averageCharge: computeAverage(sum.gross, sum.charges) }),
      refundsMade: Number(sum.refundsMade),
      ...(sum.refundsMade > 0n && { averageRefund: computeAverage(sum.refunds, sum.refundsMade) }),
      gross: toSum(sum.gross),
      refunds: toSum(sum.refunds),
      net: toSum(sum.gross - sum.refunds),
      fees: toSum(sum.fees),
      chargesWithoutFee: Number(sum.chargesWithoutFee),
    };
  });
}

const toSum = (sum: bigint): Sum => (Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum));
