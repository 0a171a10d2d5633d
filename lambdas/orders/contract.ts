import * as z from 'zod/mini';
import { type EventOf, earlierShape } from '../../packages/kit/messages/contract.js';
import { Sealed } from '../../packages/kit/personal-data/sealed.js';
import { COUNTRIES } from './countries.js';

/** Smallest units of a currency (cents), never fractions. */
export const Money = z.strictObject({
  amount: z.int().check(z.gte(0), z.lte(1e12)),
  currency: z.currencyCode(),
});
export type Money = z.infer<typeof Money>;

/** A stock keeping unit, as in the address of its stock. */
export const Sku = z.string().check(z.regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected 1 to 64 of A-Z a-z 0-9 . _ -'));

export const OrderLine = z.strictObject({
  sku: Sku,
  quantity: z.int().check(z.gte(1), z.lte(10_000)),
  /** The price that the customer agreed to. */
  unitPrice: Money,
});
export type OrderLine = z.infer<typeof OrderLine>;

/**
 * Pieces of one line that costs nothing: no credit limits these, and they would take the stock of others. Only new orders are
 * held to it, so it is no part of {@link PlaceOrder}: the repeat of an earlier order gets its first answer.
 */
export const MAX_FREE_QUANTITY = 10;

/** As part of a key, it has an end. */
export const OrderId = z.string().check(z.minLength(1), z.maxLength(64));

/** `<sagaId>/<step>` of an order's saga: the same for every retry of a step; the answer carries it back. */
export const StepId = z.string().check(z.minLength(1), z.maxLength(256));

/** A total may pass the limit of one amount, never what a number holds exactly. */
const Total = z.object({ amount: z.int().check(z.gte(0)), currency: z.string() });

/** Text of people's: no control characters, and nothing that a queue or a table would refuse or change. */
export const Text = z
  .string()
  .check(z.regex(/^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*$/u, 'expected text without control characters'));

/** Why the business refused an order. */
export const RejectionReason = z.enum([
  'OUT_OF_STOCK',
  'PRICE_CHANGED',
  'UNKNOWN_PRODUCT',
  'OVER_LIMIT',
  'CURRENCY_MISMATCH',
  'PAYMENT_DECLINED',
  /** Somebody who has a part in it did not answer in time. */
  'TIMED_OUT',
  /** Somebody who has a part in it refused, for a reason that no customer can act on. */
  'STEP_REFUSED',
]);
export type RejectionReason = z.infer<typeof RejectionReason>;

/** Limits of a customer's orders, beside the credit: orders that are under way at once, and orders within a clock hour (UTC). */
export const OrderLimit = z.enum(['ORDERS_UNDER_WAY', 'ORDERS_PER_HOUR']);
export type OrderLimit = z.infer<typeof OrderLimit>;

/** The clock hour that `ORDERS_PER_HOUR` counts by, here and in accounts. @param time ISO 8601, UTC @returns `2026-11-22T10` */
export const hourOf = (time: string): string => time.slice(0, '2026-11-22T10'.length);

/** The reasons that there were before the saga. */
const RejectionReason2 = z.enum(['OUT_OF_STOCK']);
const OrderRejected2 = z.object({ orderId: OrderId, reason: RejectionReason2, skus: z.array(z.string()) });
const OrderRejected3 = z.object({
  orderId: OrderId,
  reason: RejectionReason,
  /** Lines that the reason is about; none where it is the whole order, or where version 1 didn't say. */
  skus: z.array(z.string()),
  /** `PRICE_CHANGED`, `CURRENCY_MISMATCH`: what these lines cost in the catalogue. 0.2.0 neither writes nor shows it. */
  prices: z.exactOptional(z.array(z.object({ sku: Sku, unitPrice: Money }))),
  /** `OVER_LIMIT`: the limit, where it isn't the customer's credit. 0.2.0 neither writes nor shows it. */
  limit: z.exactOptional(OrderLimit),
});

/** Where an order goes: a person's data, stored and published sealed only. */
export const DeliveryAddress = z.strictObject({
  name: Text.check(z.minLength(1), z.maxLength(100)),
  street: Text.check(z.minLength(1), z.maxLength(200)),
  city: Text.check(z.minLength(1), z.maxLength(100)),
  /** Empty where the country has none. */
  postalCode: Text.check(z.maxLength(20)),
  country: z.string().check(z.refine((code) => COUNTRIES.has(code), 'expected a country of ISO 3166-1 alpha-2: DE')),
});
export type DeliveryAddress = z.infer<typeof DeliveryAddress>;

/** A customer's own words or address, as an event holds them. */
export type SealedData = Sealed;
/** What stands in an answer in the place of a customer's data, once they are forgotten. */
export type Forgotten = { readonly forgotten: true };

const OrderPlaced1 = z.object({
  orderId: OrderId,
  customerId: z.string().check(z.maxLength(128)),
  lines: z.array(z.object({ sku: Sku, quantity: z.int().check(z.gte(1)), unitPrice: Total })).check(
    z.minLength(1),
    z.maxLength(50),
    z.refine((lines) => new Set(lines.map(({ sku }) => sku)).size === lines.length, 'a SKU twice'),
  ),
  total: Total,
  /** As 0.2.0 wrote it; since then it is `sealedReference`. */
  clientReference: z.exactOptional(z.string()),
  placedAt: z.iso.datetime(),
});

/** Whose order it is; 0.1.0 didn't say. */
const OfCustomer = z.exactOptional(z.string().check(z.maxLength(128)));

/** What the orders service publishes; `subject` is `Order/<orderId>`. */
export const ordersContract = {
  service: 'orders',
  events: {
    OrderPlaced: {
      version: 2,
      data: z.extend(OrderPlaced1, {
        deliverTo: z.exactOptional(Sealed),
        /** The customer's `clientReference`. 0.2.0 neither writes nor shows it. */
        sealedReference: z.exactOptional(Sealed),
      }),
      earlier: { 1: earlierShape(OrderPlaced1, (data) => data) },
      personal: { deliverTo: 'customerId', sealedReference: 'customerId' },
      shownAs: { sealedReference: 'clientReference' },
    },
    OrderApproved: { version: 1, data: z.object({ orderId: OrderId, customerId: OfCustomer }) },
    OrderRejected: {
      version: 3,
      data: OrderRejected3,
      earlier: {
        1: earlierShape(z.object({ orderId: OrderId, reason: RejectionReason2 }), (data) => ({ ...data, skus: [] })),
        2: earlierShape(OrderRejected2, (data) => data),
      },
    },
    OrderCancelled: {
      version: 1,
      data: z.object({
        orderId: OrderId,
        customerId: OfCustomer,
        /** As 0.2.0 wrote it; since then it is `sealedReason`. */
        reason: z.exactOptional(z.string()),
        /** Why the customer cancelled. 0.2.0 neither writes nor shows it. */
        sealedReason: z.exactOptional(Sealed),
        /** Its saga was still under way, and undoes what it did; otherwise everybody undoes what is his own. */
        underWay: z.exactOptional(z.literal(true)),
      }),
      personal: { sealedReason: 'customerId' },
      shownAs: { sealedReason: 'reason' },
    },
  },
} as const;
export type OrderEvent = EventOf<typeof ordersContract>;

/** Body of `POST /orders`. */
export const PlaceOrder = z
  .strictObject({
    lines: z.array(OrderLine).check(z.minLength(1), z.maxLength(50)),
    clientReference: z.exactOptional(Text.check(z.maxLength(64))),
    deliverTo: z.exactOptional(DeliveryAddress),
  })
  .check(
    z.superRefine(({ lines }, context) => {
      const fault = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path: ['lines', ...path], message });
      const seen = new Set<string>();
      for (const [at, { sku, unitPrice }] of lines.entries()) {
        if (seen.has(sku)) fault([at, 'sku'], 'this SKU stands on an earlier line: add the quantities up');
        if (unitPrice.currency !== lines[0]?.unitPrice.currency) {
          fault([at, 'unitPrice', 'currency'], 'an order has one currency: expected that of the first line');
        }
        seen.add(sku);
      }
      const total = lines.reduce((sum, line) => sum + BigInt(line.quantity) * BigInt(line.unitPrice.amount), 0n);
      if (total > Number.MAX_SAFE_INTEGER) fault([], 'the total is above 2^53-1');
    }),
  );
export type PlaceOrder = z.infer<typeof PlaceOrder>;

/** Body of `POST /orders/{id}/cancellation`; none at all is the same as `{}`. */
export const CancelOrder = z.strictObject({
  reason: z.exactOptional(Text.check(z.minLength(1), z.maxLength(200))),
});

/** Type of the aggregate that leads an order; its keys begin with it. */
export const CREATE_ORDER_SAGA = 'CreateOrderSaga';

export interface RejectedLine {
  readonly sku: string;
  readonly unitPrice?: Money;
}

/** An order as every answer shows it. */
export interface OrderView {
  readonly orderId: string;
  readonly customerId: string;
  readonly status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'CANCELLED';
  /** Why it was rejected, or cancelled in the customer's own words. */
  readonly reason?: string | Forgotten;
  /** Which limit a rejection for `OVER_LIMIT` is about, where it isn't the customer's credit. */
  readonly limit?: OrderLimit;
  /** Which lines a rejection is about, and their unit prices in the catalogue when it was decided, where these are why. */
  readonly rejectedLines?: readonly RejectedLine[];
  readonly clientReference?: string | Forgotten;
  readonly lines: readonly OrderLine[];
  readonly total: Money;
  /** Version of the order that this shows, from 1. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly placedAt: string;
  /** Not in lists. */
  readonly deliverTo?: DeliveryAddress | Forgotten;
}
