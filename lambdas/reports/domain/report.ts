import type { DailyReport, MoneyOfDay, Sum } from '../contract.js';
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
      refundsMade: Number(sum.refundsMade),
      gross: exact(sum.gross),
      refunds: exact(sum.refunds),
      net: exact(sum.gross - sum.refunds),
      fees: exact(sum.fees),
      chargesWithoutFee: Number(sum.chargesWithoutFee),
    };
  });
}

const exact = (sum: bigint): Sum => (Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum));
