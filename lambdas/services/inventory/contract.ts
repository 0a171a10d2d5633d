import * as z from 'zod/mini';
import type { EventOf } from '../../patterns/contract.js';
import { OrderId, Sku } from '../orders/contract.js';

const ReservedLine = z.object({ sku: Sku, quantity: z.int().check(z.gte(1)) });
/** How many pieces of which SKU are kept for an order. */
export type ReservedLine = z.infer<typeof ReservedLine>;

/** What the inventory publishes; `subject` is `Reservation/<orderId>` or `StockItem/<sku>`. */
export const inventoryContract = {
  service: 'inventory',
  events: {
    /** All lines of the order are reserved. */
    StockReserved: { version: 1, data: z.object({ orderId: OrderId, lines: z.array(ReservedLine) }) },
    /** Nothing is reserved: at least one line was short. */
    StockRejected: {
      version: 1,
      data: z.object({ orderId: OrderId, reason: z.literal('OUT_OF_STOCK'), skus: z.array(z.string()) }),
    },
    /** What was reserved is free again. */
    StockReleased: { version: 1, data: z.object({ orderId: OrderId, lines: z.array(ReservedLine) }) },
    /** The cancellation came first: this order can't reserve any more. */
    ReservationVoided: { version: 1, data: z.object({ orderId: OrderId }) },
    /** An operator counted the stock. */
    StockSet: { version: 1, data: z.object({ sku: Sku, onHand: z.int().check(z.gte(0)) }) },
  },
} as const;
export type InventoryEvent = EventOf<typeof inventoryContract>;
/** The events of one order's reservation. */
export type ReservationEvent = Exclude<InventoryEvent, { type: 'StockSet' }>;

/** Body of `PUT /stock/{sku}`. */
export const SetStock = z.strictObject({ onHand: z.int().check(z.gte(0), z.lte(1e9)) });

/** The stock of one SKU; reserving changes `reserved` and `available`, never `onHand` or `version`. */
export interface StockView {
  readonly sku: string;
  readonly onHand: number;
  readonly reserved: number;
  /** `onHand` - `reserved`, never below zero. */
  readonly available: number;
  /** How often an operator has set it; 0 is never shown. */
  readonly version: number;
}
