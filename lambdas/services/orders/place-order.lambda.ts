import { createOnce } from '../../patterns/idempotent-receiver/create-once.js';
import { idempotencyKey } from '../../patterns/idempotent-receiver/idempotency-key.js';
import { clock } from '../../platform/clock.js';
import { endpoint, keyedBy, traceOf } from '../../platform/http.js';
import { count, logger } from '../../platform/telemetry.js';
import { PlaceOrder } from './contract.js';
import { decide, initialState } from './domain/order.js';
import { orderStore, visibleTo } from './order-store.js';

/** POST /orders: one conditional write, or the first answer again. */
export const handler = endpoint({ roles: ['customer'], body: PlaceOrder }, async (request) => {
  const { body, caller } = request;
  const { loaded, replayed } = await createOnce({
    store: orderStore,
    initialState,
    key: idempotencyKey(keyedBy(request)),
    trace: traceOf(request),
    decide: (orderId) =>
      decide(initialState, { type: 'Place', orderId, customerId: caller.id, ...body }, { now: clock.now() }),
  });
  const order = visibleTo(caller, loaded);
  count(replayed ? 'DuplicatesSuppressed' : 'OrdersPlaced');
  logger.info(replayed ? 'order placed before' : 'order placed', { orderId: order.orderId });
  const headers = { Location: `orders/${order.orderId}`, ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
  return { status: 201, body: order, headers };
});
