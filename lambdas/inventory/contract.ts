import type { CommandOf, EventOf } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import { OrderId, Sku, StepId } from '../orders/contract.js';

const ReservedLine = z.object({ sku: Sku, quantity: z.int().check(z.gte(1)) });
/** Number of pieces of a SKU that are reserved for an order. */
export type ReservedLine = z.infer<typeof ReservedLine>;

/** Fields of every command and of every answer to one. */
const Step = { orderId: OrderId, stepId: StepId };
/** The same fields for events that may also occur without a step, after an event of the order. */
const OfAnOrder = { orderId: OrderId, stepId: z.exactOptional(StepId) };

/** Reason for which a step is refused. `RELEASED`: its order can't reserve any more. */
const RefusalReason = z.enum(['OUT_OF_STOCK', 'RELEASED']);

const SHORT = { reason: z.literal('OUT_OF_STOCK'), skus: z.array(z.string()) };

/**
 * Events that the inventory publishes and commands that it accepts; `subject` is `Reservation/<orderId>` or
 * `StockItem/<sku>`.
 */
export const inventoryContract = {
  service: 'inventory',
  events: {
    /** All lines of the order are reserved. */
    StockReserved: { version: 1, data: z.object({ ...OfAnOrder, lines: z.array(ReservedLine) }) },
    /** Nothing is reserved, because at least one line was short. */
    StockRejected: { version: 1, data: z.object({ ...OfAnOrder, ...SHORT }) },
    /** The reserved pieces are available again. */
    StockReleased: { version: 1, data: z.object({ ...OfAnOrder, lines: z.array(ReservedLine) }) },
    /** The reserved pieces have left the warehouse: they are neither on hand nor reserved any more. */
    StockDispatched: { version: 1, data: z.object({ orderId: OrderId, lines: z.array(ReservedLine) }) },
    /** The cancellation or the release came first: this order can't reserve any more. */
    ReservationVoided: { version: 1, data: z.object(OfAnOrder) },
    /** Answer to a step that changes nothing, because it was done before or is refused. Nothing else happened. */
    SagaReplyRequested: {
      version: 1,
      data: z.object({
        ...Step,
        outcome: z.enum(['DONE', 'REFUSED']),
        reason: z.exactOptional(RefusalReason),
        /** With `OUT_OF_STOCK`: the SKUs that were short. */
        skus: z.exactOptional(SHORT.skus),
      }),
    },
    /** An operator counted the stock. */
    StockSet: { version: 1, data: z.object({ sku: Sku, onHand: z.int().check(z.gte(0)) }) },
  },
  commands: {
    /** Reserves all lines of the order, each of another SKU, or none of them. At most once per order. */
    ReserveStock: {
      version: 1,
      data: z.object({ ...Step, lines: z.array(ReservedLine).check(z.minLength(1), z.maxLength(50)) }),
    },
    /** Releases what is reserved for the order, and prevents any later reservation, however late it is requested. */
    ReleaseStock: { version: 1, data: z.object(Step) },
  },
} as const;
export type InventoryEvent = EventOf<typeof inventoryContract>;
export type InventoryCommand = CommandOf<typeof inventoryContract>;
/** Events of one order's reservation. */
export type ReservationEvent = Exclude<InventoryEvent, { type: 'StockSet' }>;

/** Body of `PUT /stock/{sku}`. */
export const SetStock = z.strictObject({ onHand: z.int().check(z.gte(0), z.lte(1e9)) });

/**
 * Stock of one SKU. Reserving changes `reserved` and `available`; a dispatch takes its pieces out of `onHand` and
 * `reserved`. Neither changes `version`.
 */
export const StockView = z.object({
  sku: z.string(),
  onHand: z.int(),
  reserved: z.int(),
  available: withDescription('`onHand` - `reserved`, never below zero.', z.int()),
  version: withDescription('Number of times that an operator has set it, from 1.', z.int()),
});
export type StockView = DeepReadonly<z.infer<typeof StockView>>;
