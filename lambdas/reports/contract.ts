import * as z from 'zod/mini';

/** The reports service publishes nothing: it shows what follows from the events of other services. */
export const reportsContract = { service: 'reports', events: {} } as const;

/** Day of a report. No earlier year has events, and a typing error may not look like one that is waited for. */
export const ReportDate = z.iso
  .date({ error: 'expected a day as yyyy-mm-dd', abort: true })
  .check(z.regex(/^2/, 'expected a day as yyyy-mm-dd, not before 2000'));

/** Sum of amounts in minor units. A number, or decimal text above 2^53-1, which not every reader of JSON takes exactly. */
export type Sum = number | string;

/** Money that moved in one currency. */
export interface MoneyOfDay {
  readonly currency: string;
  readonly charges: number;
  readonly refundsMade: number;
  /** Sum of the charges. */
  readonly gross: Sum;
  /** Sum of the refunds that were made. */
  readonly refunds: Sum;
  /** `gross` - `refunds`; below 0 if more was refunded than charged. */
  readonly net: Sum;
  /** Sum of the provider's fees that were known when it charged. A provider may take them in another currency. */
  readonly fees: Sum;
  /** Charges whose fee is not known: it is not in `fees`. */
  readonly chargesWithoutFee: number;
}

/** Report of one day, from the events that its window collected. It never changes. */
export interface DailyReport {
  /** Number of the report, from 1, in the order of the days and without gaps. */
  readonly number: number;
  /** Day as yyyy-mm-dd in the time zone. */
  readonly date: string;
  readonly timeZone: string;
  /** First instant of the day, ISO 8601, UTC. */
  readonly from: string;
  /** First instant after the day. */
  readonly to: string;
  /** Number of events that are counted here, late ones included. */
  readonly events: number;
  /** Orders that were placed, and ends that orders came to. An order that is cancelled after its approval is in both. */
  readonly orders: {
    readonly placed: number;
    readonly approved: number;
    readonly rejected: number;
    readonly rejectedFor: readonly { readonly reason: string; readonly orders: number }[];
    readonly cancelledUnderWay: number;
    readonly cancelledAfterApproval: number;
  };
  /** By currency, in the order of its code. */
  readonly money: readonly MoneyOfDay[];
  /** Products that were ordered most, by quantity and then by SKU. At most 10. */
  readonly topSkus: readonly { readonly sku: string; readonly quantity: number }[];
  /** Events of earlier days that came after these had closed. They are counted here, as a correction. */
  readonly late: {
    readonly events: number;
    readonly days: readonly { readonly date: string; readonly events: number }[];
  };
}
