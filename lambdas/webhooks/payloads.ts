import * as z from 'zod/mini';
import { type OrderEvent, ordersContract } from '../orders/contract.js';

const { OrderPlaced, OrderApproved, OrderDispatched, OrderRejected, OrderCancelled } = ordersContract.events;

/**
 * Data of the events that are offered, by their contract. Personal data is left out: it is sealed, and a receiver outside would keep it
 * after its person was forgotten. So is what only services need.
 */
const DATA = {
  OrderPlaced: z.omit(OrderPlaced.data, { deliverTo: true, sealedReference: true, clientReference: true }),
  OrderApproved: OrderApproved.data,
  OrderDispatched: OrderDispatched.data,
  OrderRejected: OrderRejected.data,
  OrderCancelled: z.omit(OrderCancelled.data, { sealedReason: true, reason: true, underWay: true }),
} as const;

/** Types of events that webhooks may ask for. */
export const OFFERED_TYPES = Object.keys(DATA) as readonly (keyof typeof DATA)[];
export const OfferedType = z.enum(OFFERED_TYPES);
export type OfferedType = z.infer<typeof OfferedType>;

/** Returns the schema of the body of one type. */
const payloadOf = <const Type extends OfferedType, Data extends z.ZodMiniType>(type: Type, data: Data) =>
  z.object({
    type: z.literal(type),
    /** Time of the event, which is not that of the request. */
    timestamp: z.iso.datetime(),
    orderId: z.string(),
    customerId: z.exactOptional(z.string()),
    /** Version of the order after this event: it orders the events of one order. */
    sequence: z.int(),
    data,
  });

export const OrderPlacedPayload = payloadOf('OrderPlaced', DATA.OrderPlaced);
export const OrderApprovedPayload = payloadOf('OrderApproved', DATA.OrderApproved);
export const OrderDispatchedPayload = payloadOf('OrderDispatched', DATA.OrderDispatched);
export const OrderRejectedPayload = payloadOf('OrderRejected', DATA.OrderRejected);
export const OrderCancelledPayload = payloadOf('OrderCancelled', DATA.OrderCancelled);

/** Schemas of the bodies, by the types of their events. */
export const PAYLOADS = {
  OrderPlaced: OrderPlacedPayload,
  OrderApproved: OrderApprovedPayload,
  OrderDispatched: OrderDispatchedPayload,
  OrderRejected: OrderRejectedPayload,
  OrderCancelled: OrderCancelledPayload,
} as const satisfies Record<OfferedType, z.ZodMiniType>;

/** An event that is offered. */
export type OfferedEvent = Extract<OrderEvent, { readonly type: OfferedType }>;

/** Facts of an event beside its data. */
export interface Occurrence {
  /** Time of the event (ISO 8601). */
  readonly time: string;
  readonly sequence: number;
  readonly customerId: string | undefined;
}

/**
 * Returns the body of the requests for an event. Members that the schema doesn't name are left out.
 * @returns JSON, exactly as it is signed and sent
 */
export function buildPayload({ type, data }: OfferedEvent, { time, sequence, customerId }: Occurrence): string {
  const payload = {
    type,
    timestamp: time,
    orderId: data.orderId,
    ...(customerId !== undefined && { customerId }),
    sequence,
    data,
  };
  return JSON.stringify(z.parse(PAYLOADS[type], payload));
}
