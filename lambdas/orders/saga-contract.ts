import { type SagaEvent, sagaCommands, sagaEvents } from '@orderly/kit/saga';
import * as z from 'zod/mini';
import { OrderId, Sku } from './contract.js';

const Amount = z.object({ amount: z.int().check(z.gte(0)), currency: z.string() });

/** Order data that the saga needs; none of it changes after the order is placed. */
export const CreateOrder = z.object({
  orderId: OrderId,
  customerId: z.string().check(z.maxLength(128)),
  lines: z.array(z.object({ sku: Sku, quantity: z.int().check(z.gte(1)), unitPrice: Amount })),
  total: Amount,
});
export type CreateOrder = z.infer<typeof CreateOrder>;

/**
 * Events that the saga stores, and messages that it receives from timers and operators. They are internal to the orders
 * service; `subject` is `CreateOrderSaga/<orderId>`.
 */
export const createOrderContract = {
  service: 'orders',
  events: sagaEvents(CreateOrder),
  commands: sagaCommands,
} as const;
export type CreateOrderEvent = SagaEvent<CreateOrder>;
