import * as z from 'zod/mini';

const Placed = z.object({ orderId: z.string(), lines: z.array(z.string()) });
const Charged = z.object({ orderId: z.string(), amount: z.int() });
const Reserved = z.object({ orderId: z.string(), shelf: z.string() });
export const ordersContract = { service: 'orders', events: { OrderPlaced: { version: 1, data: Placed } } } as const;
export const paymentsContract = {
  service: 'payments',
  events: { PaymentCharged: { version: 1, data: Charged } },
} as const;
export const inventoryContract = {
  service: 'inventory',
  events: { StockReserved: { version: 1, data: Reserved } },
} as const;
