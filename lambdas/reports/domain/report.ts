import type { DailyReport, MoneyOfDay, OrderValue, Sum } from '../contract.js';
import { compared, countedBy, type Tally, totalOf } from './tally.js';

/** Products in a report. */
const TOP_SKUS = 10;

/** A day, as its window names it. */
export type ReportedDay = Pick<DailyReport, 'number' | 'date' | 'timeZone' | 'from' | 'to'>;

/** Returns the report of a day. The same day and the same tally give the same bytes as JSON. */
export function reportOf(day: ReportedDay, tally: Tally): DailyReport {
  const total = (...[counter]: [Parameters<typeof totalOf>[1]]) => Number(totalOf(tally, counter));
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
      rejectedFor: countedBy(tally, 'rejected').map(([reason, orders]) => ({ reason, orders: Number(orders) })),
      cancelledUnderWay: total('cancelledUnderWay'),
      cancelledAfterApproval: total('cancelledAfterApproval'),
      ...placedValueOf(tally),
    },
    money: moneyOf(tally),
    topSkus: countedBy(tally, 'ordered')
      .toSorted(([one, less], [other, more]) => Number(more - less) || compared(one, other))
      .slice(0, TOP_SKUS)
      .map(([sku, quantity]) => ({ sku, quantity: Number(quantity) })),
    late: {
      events: total('late'),
      days: countedBy(tally, 'late').map(([day, events]) => ({ date: day, events: Number(events) })),
    },
  };
}

/**
 * Returns the value of the placed orders by currency. An earlier release did not count it: a page that it counted, before a
 * deployment while the day closed, would make the average wrong. So the value is absent unless it is that of all orders.
 */
function placedValueOf(tally: Tally): { readonly value?: readonly OrderValue[] } {
  if (totalOf(tally, 'placedIn') !== totalOf(tally, 'placed')) return {};
  const values = new Map(countedBy(tally, 'placedValue'));
  return {
    value: countedBy(tally, 'placedIn').map(([currency, orders]) => {
      const value = values.get(currency) ?? 0n;
      return { currency, orders: Number(orders), total: exact(value), average: averageOf(value, orders) };
    }),
  };
}

/** Returns the average of amounts that are not negative, rounded half up to a minor unit. @param count above 0 */
const averageOf = (sum: bigint, count: bigint): number => Number((2n * sum + count) / (2n * count));

const BY_CURRENCY = ['charges', 'gross', 'refundsMade', 'refunds', 'fees', 'chargesWithoutFee'] as const;

function moneyOf(tally: Tally): readonly MoneyOfDay[] {
  const sums = BY_CURRENCY.map((counter) => [counter, new Map(countedBy(tally, counter))] as const);
  const currencies = new Set(sums.flatMap(([, byCurrency]) => [...byCurrency.keys()]));
  return [...currencies].sort(compared).map((currency) => {
    const sum = Object.fromEntries(
      sums.map(([counter, byCurrency]) => [counter, byCurrency.get(currency) ?? 0n]),
    ) as Record<(typeof BY_CURRENCY)[number], bigint>;
    return {
      currency,
      charges: Number(sum.charges),
      ...(sum.charges > 0n && { averageCharge: averageOf(sum.gross, sum.charges) }),
      refundsMade: Number(sum.refundsMade),
      ...(sum.refundsMade > 0n && { averageRefund: averageOf(sum.refunds, sum.refundsMade) }),
      gross: exact(sum.gross),
      refunds: exact(sum.refunds),
      net: exact(sum.gross - sum.refunds),
      fees: exact(sum.fees),
      chargesWithoutFee: Number(sum.chargesWithoutFee),
    };
  });
}

const exact = (sum: bigint): Sum => (Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum));
