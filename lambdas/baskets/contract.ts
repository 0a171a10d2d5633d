import type { EventOf } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import { Money, MoneyView, OrderId, OrderLine, Sku } from '../orders/contract.js';

/** Id of the customer and of the basket: the identity provider's id, never a name. */
const CustomerId = z.string().check(z.minLength(1), z.maxLength(128));

const Quantity = OrderLine.shape.quantity;

/** Position of a product's event among all of its events, across restores of the catalogue: `toOrdinal` of the kit. */
const ProductVersion = z.int().check(z.gte(1));

/** Maximum number of lines of a basket, which is that of an order. */
export const MAX_LINES = 50;

const Skus = z.array(Sku).check(z.minLength(1), z.maxLength(MAX_LINES));

/**
 * Events that baskets publish and commands that they accept; `subject` is `Basket/<customerId>`, `Checkout/<orderId>` or
 * `PriceRollout/<sku>@<productVersion>`.
 */
export const basketsContract = {
  service: 'baskets',
  aggregatesOfPeople: ['Basket'],
  events: {
    /** The customer added a line, or changed its quantity. `unitPrice` is the line's price afterwards. */
    BasketItemSet: {
      version: 1,
      data: z.object({
        customerId: CustomerId,
        sku: Sku,
        quantity: Quantity,
        unitPrice: Money,
        productVersion: ProductVersion,
      }),
    },
    /** The customer removed a line. */
    BasketItemRemoved: { version: 1, data: z.object({ customerId: CustomerId, sku: Sku }) },
    /** A line has a new price. `oldUnitPrice` is the price that the customer has seen, if it is another one. */
    BasketPriceChanged: {
      version: 1,
      data: z.object({
        customerId: CustomerId,
        sku: Sku,
        unitPrice: Money,
        oldUnitPrice: z.exactOptional(Money),
        productVersion: ProductVersion,
      }),
    },
    /** The customer has seen all prices of the basket. */
    BasketSeen: { version: 1, data: z.object({ customerId: CustomerId }) },
    /** These lines are being ordered. They stay in the basket until their order is placed. */
    BasketCheckedOut: { version: 1, data: z.object({ customerId: CustomerId, orderId: OrderId, skus: Skus }) },
    /** The order was placed, so its lines left the basket. Lines that the customer changed meanwhile stayed. */
    BasketEmptied: { version: 1, data: z.object({ customerId: CustomerId, orderId: OrderId, skus: Skus }) },
    /** A basket is to become the order of this id. */
    CheckoutRequested: {
      version: 1,
      data: z.object({ orderId: OrderId, customerId: CustomerId, lines: z.array(OrderLine).check(z.minLength(1)) }),
    },
    /** A page of the baskets that hold a product has its new price, and the next page follows. */
    PriceRolloutContinued: {
      version: 1,
      data: z.object({ sku: Sku, productVersion: ProductVersion, page: z.int().check(z.gte(1)) }),
    },
  },
  commands: {
    /** Brings a product's price to the next page of the baskets that hold it. Baskets send it to themselves. */
    ContinuePriceRollout: {
      version: 1,
      data: z.object({
        sku: Sku,
        productVersion: ProductVersion,
        /** Number of the page, from 2. */
        page: z.int().check(z.gte(2)),
        /** Last basket of the page before. */
        after: CustomerId,
      }),
    },
  },
} as const;
type BasketsEvent = EventOf<typeof basketsContract>;
/** Events of one basket. */
export type BasketEvent = Extract<BasketsEvent, { type: `Basket${string}` }>;
/** Events of one checkout. */
export type CheckoutEvent = Extract<BasketsEvent, { type: `Checkout${string}` }>;
/** Events of one rollout of a price. */
export type PriceRolloutEvent = Extract<BasketsEvent, { type: `PriceRollout${string}` }>;

/** Body of `PUT /basket/items/{sku}`. */
export const SetItem = z.strictObject({ quantity: Quantity });

/** A basket as every answer shows it. */
export const BasketView = z.object({
  lines: z.array(
    z.object({
      sku: z.string(),
      quantity: z.int(),
      unitPrice: MoneyView,
      oldUnitPrice: z.exactOptional(
        withDescription('Price that the customer has seen; present if `unitPrice` is another one.', MoneyView),
      ),
    }),
  ),
  version: withDescription('Number of events so far; 0 for a basket that was never used.', z.int()),
});
export type BasketView = DeepReadonly<z.infer<typeof BasketView>>;

/** Answer to a checkout. */
export const CheckoutView = z.object({
  orderId: withDescription('Id of the order, which exists about a second later.', z.string()),
});
