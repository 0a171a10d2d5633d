import type { CommandOf, EventOf } from '@orderly/kit/messages';
import * as z from 'zod/mini';
import { Money, OrderId, Sku, StepId, Text } from '../orders/contract.js';

const ProductName = Text.check(z.minLength(1), z.maxLength(200));

/**
 * A product as it is after an event. A service that keeps its own copy applies the newest event, in whichever order
 * they arrive.
 */
const Product = { sku: Sku, name: z.string(), unitPrice: Money };

/** Fields of every command and of every answer to one. */
const Step = { orderId: OrderId, stepId: StepId };

/** Final reason for which an order's prices are not confirmed. */
export const RefusalReason = z.enum(['PRICE_CHANGED', 'UNKNOWN_PRODUCT']);
export type RefusalReason = z.infer<typeof RefusalReason>;

const PricedLine = z.object({ sku: Sku, unitPrice: Money });
/** Price that a customer agreed to pay for one piece. */
export type PricedLine = z.infer<typeof PricedLine>;

/** Reason, affected lines and their catalogue prices. An unknown product has no price; 0.2.0 wrote no prices. */
const Refusal = { reason: RefusalReason, skus: z.array(Sku), prices: z.exactOptional(z.array(PricedLine)) };

/**
 * Events that the catalogue publishes and commands that it accepts; `subject` is `Product/<sku>` or
 * `PriceCheck/<orderId>`.
 */
export const catalogContract = {
  service: 'catalog',
  events: {
    ProductAdded: { version: 1, data: z.object(Product) },
    ProductRenamed: { version: 1, data: z.object({ ...Product, oldName: z.string() }) },
    ProductPriceChanged: { version: 1, data: z.object({ ...Product, oldUnitPrice: Money }) },
    /** All lines have the catalogue's price. */
    PricesConfirmed: { version: 1, data: z.object(Step) },
    PricesRefused: { version: 1, data: z.object({ ...Step, ...Refusal }) },
    /** Answer to a step that was answered before: it repeats the first result, whatever the prices are now. */
    SagaReplyRequested: {
      version: 1,
      data: z.object({
        ...Step,
        outcome: z.enum(['DONE', 'REFUSED']),
        reason: z.exactOptional(Refusal.reason),
        skus: z.exactOptional(Refusal.skus),
        prices: Refusal.prices,
      }),
    },
  },
  commands: {
    /** Compares the prices that a customer agreed to with the catalogue. Once per order. */
    ConfirmPrices: {
      version: 1,
      data: z.object({
        ...Step,
        lines: z.array(PricedLine).check(
          z.minLength(1),
          z.maxLength(50),
          z.refine((lines) => new Set(lines.map(({ sku }) => sku)).size === lines.length, 'a SKU twice'),
        ),
      }),
    },
  },
} as const;
export type CatalogEvent = EventOf<typeof catalogContract>;
export type CatalogCommand = CommandOf<typeof catalogContract>;
/** Events of one product. */
export type ProductEvent = Extract<CatalogEvent, { type: `Product${string}` }>;
/** Events of one order's price check. */
export type PriceCheckEvent = Exclude<CatalogEvent, ProductEvent>;

/** Index of all products by SKU: `listPk`, `listSk`. */
export const PRODUCTS_INDEX = 'products';

/** Body of `PUT /products/{sku}`. */
export const SetProduct = z.strictObject({ name: ProductName, unitPrice: Money });
export type SetProduct = z.infer<typeof SetProduct>;

/** A product as every answer shows it. */
export interface ProductView {
  readonly sku: string;
  readonly name: string;
  readonly unitPrice: Money;
  /** Number of events so far: a simultaneous change of name and price counts as two. */
  readonly version: number;
}
