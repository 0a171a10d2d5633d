import { isLeftToSaga, type OrderEvent } from '../../orders/contract.js';
import type { PaymentEvent } from '../../payments/contract.js';

/** Events that a report counts. */
export type CountedEvent = Extract<
  OrderEvent | PaymentEvent,
  {
    type: 'OrderPlaced' | 'OrderApproved' | 'OrderRejected' | 'OrderCancelled' | 'PaymentCharged' | 'PaymentRefunded';
  }
>;

/** Counters of a report. Most of them have one sum for each reason, currency, SKU or day. */
export type Counter =
  | 'events'
  | 'placed'
  | 'placedIn'
  | 'placedValue'
  | 'approved'
  | 'rejected'
  | 'cancelledUnderWay'
  | 'cancelledAfterApproval'
  | 'charges'
  | 'gross'
  | 'fees'
  | 'chargesWithoutFee'
  | 'refundsMade'
  | 'refunds'
  | 'ordered'
  | 'late';

/**
 * Sums by counter and by what it is counted by. Tallies are added in any order and in any groups with the same result, so
 * the pages of a day lead to the same report however its events were divided among them.
 */
export type Tally = ReadonlyMap<string, bigint>;

/** An event, and the day that it is late from. */
export interface Counted {
  readonly event: CountedEvent;
  readonly lateFrom?: string;
}

type Count = readonly [counter: Counter, by: string, value: number];

const SEPARATOR = '/';
const counterKey = (counter: Counter, by: string): string => counter + SEPARATOR + by;

function countEvent(event: CountedEvent): readonly Count[] {
  switch (event.type) {
    case 'OrderPlaced': {
      const { total, lines } = event.data;
      return [
        ['placed', '', 1],
        ['placedIn', total.currency, 1],
        ['placedValue', total.currency, total.amount],
        ...lines.map(({ sku, quantity }): Count => ['ordered', sku, quantity]),
      ];
    }
    case 'OrderApproved':
      return [['approved', '', 1]];
    case 'OrderRejected':
      return [['rejected', event.data.reason, 1]];
    case 'OrderCancelled':
      return [[isLeftToSaga(event.data) ? 'cancelledUnderWay' : 'cancelledAfterApproval', '', 1]];
    case 'PaymentCharged': {
      const { amount, fee } = event.data;
      return [
        ['charges', amount.currency, 1],
        ['gross', amount.currency, amount.amount],
        fee ? ['fees', fee.currency, fee.amount] : ['chargesWithoutFee', amount.currency, 1],
      ];
    }
    case 'PaymentRefunded': {
      const { amount } = event.data;
      return [
        ['refundsMade', amount.currency, 1],
        ['refunds', amount.currency, amount.amount],
      ];
    }
  }
}

/** Counts events. */
export const tallyEvents = (counted: readonly Counted[]): Tally =>
  addUp(
    counted.flatMap(({ event, lateFrom }) => {
      const counts: Count[] = [['events', '', 1], ...countEvent(event)];
      if (lateFrom !== undefined) counts.push(['late', lateFrom, 1]);
      return counts.map(([counter, by, value]): [string, bigint] => [counterKey(counter, by), BigInt(value)]);
    }),
  );

/** Adds tallies. */
export const sumTallies = (tallies: readonly Tally[]): Tally => addUp(tallies.flatMap((tally) => [...tally]));

function addUp(entries: readonly (readonly [string, bigint])[]): Tally {
  const sums = new Map<string, bigint>();
  for (const [name, value] of entries) sums.set(name, (sums.get(name) ?? 0n) + value);
  return sums;
}

/** Returns the sum of a counter, whatever it is counted by. */
export const readTotal = (tally: Tally, counter: Counter): bigint =>
  readCounts(tally, counter).reduce((sum, [, value]) => sum + value, 0n);

/** Returns what a counter is counted by, with the sums, in the order of the names. */
export const readCounts = (tally: Tally, counter: Counter): readonly (readonly [by: string, value: bigint])[] =>
  [...tally]
    .filter(([name]) => name.startsWith(counterKey(counter, '')))
    .map(([name, value]): [string, bigint] => [name.slice(counter.length + SEPARATOR.length), value])
    .sort(([one], [other]) => compareText(one, other));

/** Compares by code units: the same everywhere, whatever the locale of a function is. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Writes a tally as JSON. The same tally gives the same bytes. */
export const serializeTally = (tally: Tally): string =>
  JSON.stringify(
    Object.fromEntries(
      [...tally].sort(([one], [other]) => compareText(one, other)).map(([name, sum]) => [name, `${sum}`]),
    ),
  );

/** Reads what {@link serializeTally} wrote. */
export const parseTally = (text: string): Tally =>
  new Map(Object.entries(JSON.parse(text) as Record<string, string>).map(([name, sum]) => [name, BigInt(sum)]));
