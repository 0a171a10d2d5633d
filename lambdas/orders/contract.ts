import { type EventOf, earlierShape, Sealed } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';

/**
 * Form of a currency's code. Which codes are in force changes with ISO 4217, so what is stored is read by its form for ever;
 * `findCodeRefusal` refuses a code that a new request names and no list has.
 */
const CurrencyCode = z.string().check(z.regex(/^[A-Z]{3}$/, 'expected a currency of ISO 4217 in upper case: EUR'));

/** Form of a country's code, as {@link CurrencyCode}. */
const CountryCode = z
  .string()
  .check(z.refine((code) => /^[A-Z]{2}$/.test(code), 'expected a country of ISO 3166-1 alpha-2 in upper case: DE'));

/** Integer amount in minor units of a currency (cents), never a fraction. */
export const Money = z.strictObject({
  amount: z.int().check(z.gte(0), z.lte(1e12)),
  currency: CurrencyCode,
});
export type Money = z.infer<typeof Money>;

/** A stock keeping unit, as it appears in the path of its stock. */
export const Sku = z.string().check(z.regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected 1 to 64 of A-Z a-z 0-9 . _ -'));

export const OrderLine = z.strictObject({
  sku: Sku,
  quantity: z.int().check(z.gte(1), z.lte(10_000)),
  /** Price that the customer agreed to. */
  unitPrice: Money,
});
export type OrderLine = z.infer<typeof OrderLine>;

/**
 * Maximum pieces of one line that costs nothing. No credit limit bounds free lines, so without this they would take the
 * stock of others. Only new orders have to obey it, so {@link PlaceOrder} doesn't check it: the repeat of an earlier
 * order gets its first answer.
 */
export const MAX_FREE_QUANTITY = 10;

/** The length is limited because the id is part of a key. */
export const OrderId = z.string().check(z.minLength(1), z.maxLength(64));

/** Id of a saga step, `<sagaId>/<step>`. Every retry of a step has the same id, and the answer carries it back. */
export const StepId = z.string().check(z.minLength(1), z.maxLength(256));

/** A total may exceed the limit of a single amount, but stays within the integers that a number holds exactly. */
const Total = z.object({ amount: z.int().check(z.gte(0)), currency: z.string() });

/**
 * Text that a person wrote: without control characters, and without anything that a queue or a table would refuse or
 * change.
 */
export const Text = z
  .string()
  .check(z.regex(/^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*$/u, 'expected text without control characters'));

/** The reasons that 0.2.0 reads. */
const RejectionReason3 = z.enum([
  'OUT_OF_STOCK',
  'PRICE_CHANGED',
  'UNKNOWN_PRODUCT',
  'OVER_LIMIT',
  'CURRENCY_MISMATCH',
  'PAYMENT_DECLINED',
  /** A participant did not answer in time. */
  'TIMED_OUT',
  /** A participant refused, for a reason that no customer can act on. */
  'STEP_REFUSED',
]);

/** Business reason for which an order is rejected. */
export const RejectionReason = z.enum([...RejectionReason3.options, 'PRODUCT_DISCONTINUED', 'ACCOUNT_CLOSED']);
export type RejectionReason = z.infer<typeof RejectionReason>;

/**
 * Limits of a customer's orders other than the credit: orders in progress at once, and orders within a clock hour
 * (UTC).
 */
export const OrderLimit = z.enum(['ORDERS_UNDER_WAY', 'ORDERS_PER_HOUR']);
export type OrderLimit = z.infer<typeof OrderLimit>;

/**
 * Returns the clock hour by which orders and accounts count `ORDERS_PER_HOUR`.
 * @param time ISO 8601, UTC
 * @returns `2026-11-22T10`
 */
export const hourOf = (time: string): string => time.slice(0, '2026-11-22T10'.length);

/**
 * Field of the versions that 0.2.0 reads. It does not know `PRODUCT_DISCONTINUED`, so these versions say
 * `UNKNOWN_PRODUCT`, with this field.
 */
export const Discontinued = z.exactOptional(z.literal(true));

/** Upcasts a refusal with the field {@link Discontinued}. */
export const reasonWithDiscontinued = <Data extends { readonly discontinued?: true }>({
  discontinued,
  ...data
}: Data) => (discontinued ? { ...data, reason: 'PRODUCT_DISCONTINUED' } : data);

/** Downcasts the reason of a refusal to one that 0.2.0 reads, and the field {@link Discontinued}. */
export const reasonWithoutDiscontinued = <Reason extends string>(
  reason: Reason,
): { reason: Exclude<Reason, 'PRODUCT_DISCONTINUED'> | 'UNKNOWN_PRODUCT'; discontinued?: true } =>
  reason === 'PRODUCT_DISCONTINUED'
    ? { reason: 'UNKNOWN_PRODUCT', discontinued: true }
    : { reason: reason as Exclude<Reason, 'PRODUCT_DISCONTINUED'> };

/**
 * Field of the versions that 0.2.0 reads. It does not know `ACCOUNT_CLOSED`, so these versions say `OVER_LIMIT`, with this
 * field.
 */
export const AccountClosed = z.exactOptional(z.literal(true));

/** Upcasts a refusal with the field {@link AccountClosed}. */
export const reasonWithClosed = <Data extends { readonly accountClosed?: true }>({ accountClosed, ...data }: Data) =>
  accountClosed ? { ...data, reason: 'ACCOUNT_CLOSED' } : data;

/** Downcasts the reason of a refusal to one that 0.2.0 reads, and the field {@link AccountClosed}. */
export const reasonWithoutClosed = <Reason extends string>(
  reason: Reason,
): { reason: Exclude<Reason, 'ACCOUNT_CLOSED'> | 'OVER_LIMIT'; accountClosed?: true } =>
  reason === 'ACCOUNT_CLOSED'
    ? { reason: 'OVER_LIMIT', accountClosed: true }
    : { reason: reason as Exclude<Reason, 'ACCOUNT_CLOSED'> };

/** The reasons that existed before the saga. */
const RejectionReason2 = z.enum(['OUT_OF_STOCK']);
const OrderRejected2 = z.object({ orderId: OrderId, reason: RejectionReason2, skus: z.array(z.string()) });
const OrderRejected4 = z.object({
  orderId: OrderId,
  reason: RejectionReason,
  /** Lines that the reason is about; empty if it is the whole order, or if version 1 didn't name them. */
  skus: z.array(z.string()),
  /**
   * For `PRICE_CHANGED` and `CURRENCY_MISMATCH`: catalogue prices of these lines. 0.2.0 neither writes nor shows it.
   */
  prices: z.exactOptional(z.array(z.object({ sku: Sku, unitPrice: Money }))),
  /** For `OVER_LIMIT`: the limit, unless it is the customer's credit. 0.2.0 neither writes nor shows it. */
  limit: z.exactOptional(OrderLimit),
});
const OrderRejected3 = z.extend(OrderRejected4, {
  reason: RejectionReason3,
  discontinued: Discontinued,
  accountClosed: AccountClosed,
});

/** Delivery address of an order: personal data, which is stored and published only sealed. */
export const DeliveryAddress = z.strictObject({
  name: Text.check(z.minLength(1), z.maxLength(100)),
  street: Text.check(z.minLength(1), z.maxLength(200)),
  city: Text.check(z.minLength(1), z.maxLength(100)),
  /** Empty for countries without postal codes. */
  postalCode: Text.check(z.maxLength(20)),
  country: CountryCode,
});
export type DeliveryAddress = z.infer<typeof DeliveryAddress>;

/** A customer's own words or address, as an event holds them. */
export type SealedData = Sealed;

const OrderPlaced1 = z.object({
  orderId: OrderId,
  customerId: z.string().check(z.maxLength(128)),
  lines: z.array(z.object({ sku: Sku, quantity: z.int().check(z.gte(1)), unitPrice: Total })).check(
    z.minLength(1),
    z.maxLength(50),
    z.refine((lines) => new Set(lines.map(({ sku }) => sku)).size === lines.length, 'a SKU twice'),
  ),
  total: Total,
  /** 0.2.0 wrote this field; later releases write `sealedReference`. */
  clientReference: z.exactOptional(z.string()),
  placedAt: z.iso.datetime(),
});

/** Reasons to look at an order. None of them proves fraud. */
export const ReviewReason = z.enum([
  /** The order's user is suspect. */
  'SUSPECT_USER',
  /** The order's user is blocked. */
  'BLOCKED_USER',
  /** The total is at least the setting's. */
  'HIGH_VALUE',
  /** The user has placed at least as many orders in this clock hour (UTC) as the setting says. */
  'MANY_ORDERS',
  /** The order goes to another address than the one in the user's profile. */
  'OTHER_ADDRESS',
  /** In the setting's hours before the order, or since, the provider declined at least as many charges as it says. */
  'DECLINED_CHARGES',
  /** In the setting's hours before the order, or since, the user's default payment method changed. */
  'METHOD_CHANGED',
]);
export type ReviewReason = z.infer<typeof ReviewReason>;

export const ReviewOutcome = z.enum(['APPROVED', 'REJECTED', 'RELEASED']);
export type ReviewOutcome = z.infer<typeof ReviewOutcome>;

/** Rules by which an order of a suspect or blocked user is looked at. */
export interface ReviewRules {
  /** Total from which an order is of high value, in minor units of its currency. */
  readonly highValue: number;
  /** Orders of one user within a clock hour (UTC) from which they are many. */
  readonly manyOrders: number;
  /** Whether the order's address is compared with the one in the user's profile. Both must be there. */
  readonly otherAddress: boolean;
  /** Declined charges of one user from which they are many. Payments without an order count, too. */
  readonly manyDeclines: number;
  /** Hours before an order from which on declined charges count for it. */
  readonly declinesWithinHours: number;
  /** Hours before an order from which on a change of the user's payment method counts for it. */
  readonly methodChangeWithinHours: number;
}

/** Body of `PUT /orders/{orderId}/review`. */
export const ReviewOrder = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  note: z.exactOptional(Text.check(z.minLength(1), z.maxLength(500))),
});

/** Customer who owns the order; 0.1.0 didn't write it. */
const OfCustomer = z.exactOptional(z.string().check(z.maxLength(128)));

/** Events that the orders service publishes and commands that it accepts; `subject` is `Order/<orderId>`. */
export const ordersContract = {
  service: 'orders',
  events: {
    /** A customer placed an order. It is PENDING until its saga has ended. */
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
    /**
     * The order's user is suspect or blocked: it is neither charged nor dispatched before an operator has approved it or the
     * user is active again. An order that was paid before stays paid.
     */
    OrderReviewStarted: {
      version: 1,
      data: z.object({
        orderId: OrderId,
        customerId: z.string().check(z.maxLength(128)),
        reasons: z.array(ReviewReason),
      }),
    },
    /**
     * `RELEASED`: the user is active again. The end of a rejected order is in the same commit: `OrderCancelled` if it was
     * paid, so that everything is given back, and otherwise `OrderRejected`.
     */
    OrderReviewEnded: {
      version: 1,
      data: z.object({
        orderId: OrderId,
        customerId: z.string().check(z.maxLength(128)),
        outcome: ReviewOutcome,
        /** The operator's words about the customer. Customers don't see them. */
        sealedNote: z.exactOptional(Sealed),
      }),
      personal: { sealedNote: 'customerId' },
      shownAs: { sealedNote: 'note' },
    },
    /**
     * All steps of the saga are done: the order is paid, and its stock is reserved. It may be under review all the same, and
     * must not be sent before it can be dispatched.
     */
    OrderApproved: { version: 1, data: z.object({ orderId: OrderId, customerId: OfCustomer }) },
    /** An approved order's goods have left the warehouse. It can't be cancelled any more. */
    OrderDispatched: { version: 1, data: z.object({ orderId: OrderId, customerId: OfCustomer }) },
    /** The order has ended without effect, for this reason. */
    OrderRejected: {
      version: 4,
      writes: 3,
      data: OrderRejected4,
      earlier: {
        1: earlierShape(z.object({ orderId: OrderId, reason: RejectionReason2 }), (data) => ({ ...data, skus: [] })),
        2: earlierShape(OrderRejected2, (data) => data),
        3: earlierShape<z.infer<typeof OrderRejected3>>(
          OrderRejected3,
          (data) => (data.accountClosed ? reasonWithClosed(data) : reasonWithDiscontinued(data)),
          ({ reason, ...data }: z.infer<typeof OrderRejected4>) => ({
            ...data,
            ...(reason === 'ACCOUNT_CLOSED' ? reasonWithoutClosed(reason) : reasonWithoutDiscontinued(reason)),
          }),
        ),
      },
    },
    /** The customer or an operator cancelled the order, or its review rejected it after the payment. */
    OrderCancelled: {
      version: 1,
      data: z.object({
        orderId: OrderId,
        customerId: OfCustomer,
        /** 0.2.0 wrote this field; later releases write `sealedReason`. */
        reason: z.exactOptional(z.string()),
        /** Why it was cancelled, in the words of whoever did so. 0.2.0 neither writes nor shows it. */
        sealedReason: z.exactOptional(Sealed),
        /**
         * Present if the order's saga was still in progress: it compensates its own steps. Otherwise, each service
         * releases its own resources.
         */
        underWay: z.exactOptional(z.literal(true)),
      }),
      personal: { sealedReason: 'customerId' },
      shownAs: { sealedReason: 'reason' },
    },
  },
  commands: {
    /**
     * Places an order for a customer, once per `orderId`. The order always exists afterwards: if a rule forbids it, it
     * is rejected at once.
     */
    PlaceOrder: {
      version: 1,
      data: z.object({
        orderId: OrderId,
        customerId: OrderPlaced1.shape.customerId,
        lines: z.array(OrderLine).check(
          z.minLength(1),
          z.maxLength(50),
          z.refine((lines) => new Set(lines.map(({ sku }) => sku)).size === lines.length, 'a SKU twice'),
        ),
      }),
    },
  },
} as const;
export type OrderEvent = EventOf<typeof ordersContract>;

/**
 * Whether a cancelled order is left to its saga, which compensates its own steps. Otherwise the order had ended before,
 * and each service releases its own resources.
 */
export const isLeftToSaga = ({ underWay }: { readonly underWay?: true }): boolean => underWay === true;

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
        // No path can have it, so no product has it either.
        if (sku === '.' || sku === '..') fault([at, 'sku'], 'expected a SKU other than . and ..');
        if (seen.has(sku)) fault([at, 'sku'], 'this SKU is on an earlier line: add up the quantities');
        if (unitPrice.currency !== lines[0]?.unitPrice.currency) {
          fault([at, 'unitPrice', 'currency'], 'expected the currency of the first line: an order has one currency');
        }
        seen.add(sku);
      }
      const total = lines.reduce((sum, line) => sum + BigInt(line.quantity) * BigInt(line.unitPrice.amount), 0n);
      if (total > Number.MAX_SAFE_INTEGER) fault([], 'the total is above 2^53-1');
    }),
  );
export type PlaceOrder = z.infer<typeof PlaceOrder>;

/** Body of `POST /orders/{id}/cancellation`; an absent body is the same as `{}`. */
export const CancelOrder = z.strictObject({
  reason: z.exactOptional(Text.check(z.minLength(1), z.maxLength(200))),
});

/** Body of `POST /orders/{id}/dispatch`; an absent body is the same. */
export const DispatchOrder = z.strictObject({});

/** Amount as answers show it. */
export const MoneyView = z.object({
  amount: withDescription('In minor units of the currency (cents), up to 2^53-1.', z.int()),
  currency: withDescription('ISO 4217 code.', z.string()),
});

/** Replaces personal data of a forgotten customer in an answer. */
export const Forgotten = z.object({ forgotten: z.literal(true) });
export type Forgotten = DeepReadonly<z.infer<typeof Forgotten>>;

const LineView = z.object({ sku: z.string(), quantity: z.int(), unitPrice: MoneyView });

/** Delivery address as answers show it. */
export const DeliveryAddressView = z.object({
  name: z.string(),
  street: z.string(),
  city: z.string(),
  postalCode: withDescription('Empty for countries without postal codes.', z.string()),
  country: withDescription('ISO 3166-1 alpha-2 code.', z.string()),
});

/** A line that a rejection is about. */
export const RejectedLineView = z.object({
  sku: z.string(),
  unitPrice: z.exactOptional(withDescription("The catalogue's price when the line was refused.", MoneyView)),
});

/** An order as every answer shows it. */
export const OrderView = z.object({
  orderId: z.string(),
  customerId: z.string(),
  status: withDescription(
    'PENDING: accepted, and its saga asks for price, credit, stock and payment. UNDER_REVIEW: an operator decides before it is charged or, if it is paid already, before it is dispatched. APPROVED: paid. DISPATCHED: it has left the warehouse. REJECTED: see `reason`. CANCELLED: by its customer, by an operator, or by its review.',
    z.enum(['PENDING', 'UNDER_REVIEW', 'APPROVED', 'DISPATCHED', 'REJECTED', 'CANCELLED']),
  ),
  reason: z.exactOptional(
    withDescription(
      'Reason for the rejection, in capitals, or the words of whoever cancelled the order.',
      z.union([z.string(), Forgotten]),
    ),
  ),
  reviewReasons: z.exactOptional(
    withDescription(
      'Why the order is under review. Customers do not see it, because it would tell them how to avoid a review.',
      z.array(ReviewReason),
    ),
  ),
  limit: z.exactOptional(
    withDescription("Limit that a rejection for OVER_LIMIT is about, unless it is the customer's credit.", OrderLimit),
  ),
  rejectedLines: z.exactOptional(
    withDescription(
      'Lines that a rejection is about, with the unit prices of the catalogue if prices are the reason.',
      z.array(RejectedLineView),
    ),
  ),
  clientReference: z.exactOptional(z.union([z.string(), Forgotten])),
  lines: z.array(LineView),
  total: MoneyView,
  version: withDescription('Version of the order in this view, from 1.', z.int()),
  placedAt: withDescription('ISO 8601, UTC.', z.iso.datetime()),
  deliverTo: z.exactOptional(withDescription('Absent in lists.', z.union([DeliveryAddressView, Forgotten]))),
});
export type OrderView = DeepReadonly<z.infer<typeof OrderView>>;
