import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';

/** The reports service publishes nothing: it shows what follows from the events of other services. */
export const reportsContract = { service: 'reports', events: {} } as const;

/** Day of a report. No earlier year has events, and a typing error may not look like one that is waited for. */
export const ReportDate = z.iso
  .date({ error: 'expected a day as yyyy-mm-dd', abort: true })
  .check(z.regex(/^2/, 'expected a day as yyyy-mm-dd, not before 2000'));

/** Sum of amounts in minor units. A number, or decimal text above 2^53-1, which not every reader of JSON takes exactly. */
const SumView = z.union([z.int(), z.string()]);
export type Sum = z.infer<typeof SumView>;

/** An average of amounts. It is not above the largest of them, and so always a number that JSON takes exactly. */
const AverageView = z.int();

/** Orders that were placed in one currency. */
export const OrderValueView = z.object({
  currency: z.string(),
  orders: z.int(),
  total: withDescription('Sum of the orders, in minor units; decimal text above 2^53-1.', SumView),
  average: withDescription('`total` / `orders`, rounded half up to a minor unit.', AverageView),
});
export type OrderValue = DeepReadonly<z.infer<typeof OrderValueView>>;

/** Money that moved in one currency. */
export const MoneyOfDayView = z.object({
  currency: z.string(),
  charges: z.int(),
  refundsMade: z.int(),
  gross: withDescription('Sum of the charges, in minor units; decimal text above 2^53-1.', SumView),
  refunds: withDescription('Sum of the refunds that were made.', SumView),
  net: withDescription('`gross` - `refunds`; below 0 if more was refunded than charged.', SumView),
  fees: withDescription(
    "Sum of the provider's fees that were known when it charged. A provider may take them in another currency.",
    SumView,
  ),
  chargesWithoutFee: withDescription('Charges whose fee is not known: it is not in `fees`.', z.int()),
  averageCharge: z.exactOptional(
    withDescription('`gross` / `charges`, rounded half up to a minor unit; absent without charges.', AverageView),
  ),
  averageRefund: z.exactOptional(
    withDescription('`refunds` / `refundsMade`, rounded half up to a minor unit; absent without refunds.', AverageView),
  ),
});
export type MoneyOfDay = DeepReadonly<z.infer<typeof MoneyOfDayView>>;

/** Report of one day, from the events that its window collected. It never changes. */
export const DailyReportView = z.object({
  number: withDescription('Number of the report, from 1, in the order of the days and without gaps.', z.int()),
  date: withDescription('Day as yyyy-mm-dd in the time zone.', z.string()),
  timeZone: z.string(),
  from: withDescription('First instant of the day, ISO 8601, UTC.', z.iso.datetime()),
  to: withDescription('First instant after the day.', z.iso.datetime()),
  events: withDescription('Number of events that are counted here, late ones included.', z.int()),
  orders: withDescription(
    'Orders that were placed, and ends that orders came to. An order that is cancelled after its approval is in both.',
    z.object({
      placed: z.int(),
      approved: z.int(),
      rejected: z.int(),
      rejectedFor: z.array(z.object({ reason: z.string(), orders: z.int() })),
      cancelledUnderWay: z.int(),
      cancelledAfterApproval: z.int(),
      value: z.exactOptional(
        withDescription(
          'Value of the placed orders, by currency in the order of its code. Absent from reports of a release that did not count it.',
          z.array(OrderValueView),
        ),
      ),
    }),
  ),
  money: withDescription('By currency, in the order of its code.', z.array(MoneyOfDayView)),
  topSkus: withDescription(
    'Products that were ordered most, by quantity and then by SKU. At most 10.',
    z.array(z.object({ sku: z.string(), quantity: z.int() })),
  ),
  late: withDescription(
    'Events of earlier days that came after these had closed. They are counted here, as a correction.',
    z.object({ events: z.int(), days: z.array(z.object({ date: z.string(), events: z.int() })) }),
  ),
});
export type DailyReport = DeepReadonly<z.infer<typeof DailyReportView>>;
