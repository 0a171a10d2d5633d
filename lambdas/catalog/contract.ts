import { type CommandOf, type EventOf, earlierShape } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import {
  Discontinued,
  Money,
  MoneyView,
  OrderId,
  reasonWithDiscontinued,
  reasonWithoutDiscontinued,
  Sku,
  StepId,
  Text,
} from '../orders/contract.js';

const ProductName = Text.check(z.minLength(1), z.maxLength(200));

/**
 * A product as it is after an event. A service that keeps its own copy applies the newest event, in whichever order
 * they arrive.
 */
const Product = {
  sku: Sku,
  name: z.string(),
  unitPrice: Money,
  /** Present if the product is not sold any more. 0.2.0 neither writes nor reads it. */
  discontinued: z.exactOptional(z.literal(true)),
};

/** Fields of every command and of every answer to one. */
const Step = { orderId: OrderId, stepId: StepId };

/** The reasons that 0.2.0 reads. */
const RefusalReason1 = z.enum(['PRICE_CHANGED', 'UNKNOWN_PRODUCT']);
/** Final reason for which an order's prices are not confirmed. */
export const RefusalReason = z.enum([...RefusalReason1.options, 'PRODUCT_DISCONTINUED']);
export type RefusalReason = z.infer<typeof RefusalReason>;

const PricedLine = z.object({ sku: Sku, unitPrice: Money });
/** Price that a customer agreed to pay for one piece. */
export type PricedLine = z.infer<typeof PricedLine>;

/**
 * Affected lines of a refusal. For `PRICE_CHANGED`, it includes their catalogue prices; 0.2.0 wrote no prices.
 */
const Lines = { skus: z.array(Sku), prices: z.exactOptional(z.array(PricedLine)) };
const PricesRefused2 = z.object({ ...Step, ...Lines, reason: RefusalReason });
const PricesRefused1 = z.extend(PricesRefused2, { reason: RefusalReason1, discontinued: Discontinued });

const SagaReplyRequested2 = z.object({
  ...Step,
  outcome: z.enum(['DONE', 'REFUSED']),
  reason: z.exactOptional(RefusalReason),
  skus: z.exactOptional(Lines.skus),
  prices: Lines.prices,
});
const SagaReplyRequested1 = z.extend(SagaReplyRequested2, {
  reason: z.exactOptional(RefusalReason1),
  discontinued: Discontinued,
});

/**
 * Events that the catalogue publishes and commands that it accepts; `subject` is `Product/<sku>` or
 * `PriceCheck/<orderId>`.
 */
export const catalogContract = {
  service: 'catalog',
  events: {
    /** A product is new in the catalogue. */
    ProductAdded: { version: 1, data: z.object(Product) },
    /** The product has another name. */
    ProductRenamed: { version: 1, data: z.object({ ...Product, oldName: z.string() }) },
    /** The product has another price. */
    ProductPriceChanged: { version: 1, data: z.object({ ...Product, oldUnitPrice: Money }) },
    /** The product is not sold any more. */
    ProductDiscontinued: { version: 1, data: z.object({ ...Product, discontinued: z.literal(true) }) },
    /** The product is sold again. */
    ProductResumed: { version: 1, data: z.object(Product) },
    /** All lines are sold, at the catalogue's price. */
    PricesConfirmed: { version: 1, data: z.object(Step) },
    /** The order is refused: a line is not sold, or not at the price that the customer agreed to. */
    PricesRefused: {
      version: 2,
      writes: 1,
      data: PricesRefused2,
      earlier: {
        1: earlierShape(PricesRefused1, reasonWithDiscontinued, (data: z.infer<typeof PricesRefused2>) => ({
          ...data,
          ...reasonWithoutDiscontinued(data.reason),
        })),
      },
    },
    /** Answer to a step that was answered before: it repeats the first result, whatever the prices are now. */
    SagaReplyRequested: {
      version: 2,
      writes: 1,
      data: SagaReplyRequested2,
      earlier: {
        1: earlierShape(
          SagaReplyRequested1,
          reasonWithDiscontinued,
          ({ reason, ...data }: z.infer<typeof SagaReplyRequested2>) => ({
            ...data,
            ...(reason === undefined ? {} : reasonWithoutDiscontinued(reason)),
          }),
        ),
      },
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
export const PRODUCTS_INDEX = 'products-by-sku';

/** Body of `PUT /products/{sku}`. It is the whole product: without `discontinued`, the product is sold. */
export const SetProduct = z.strictObject({
  name: ProductName,
  unitPrice: Money,
  discontinued: z.exactOptional(z.boolean()),
});
export type SetProduct = z.infer<typeof SetProduct>;

/** A product as every answer shows it. */
export const ProductView = z.object({
  sku: z.string(),
  name: z.string(),
  unitPrice: MoneyView,
  discontinued: z.exactOptional(
    withDescription('Present if the product is not sold any more: orders for it are refused.', z.literal(true)),
  ),
  version: withDescription('Number of events so far: a simultaneous change of name and price counts as two.', z.int()),
});
export type ProductView = DeepReadonly<z.infer<typeof ProductView>>;
