import { clock, count, logger, Metric } from '@orderly/kit/aws';
import { keyedBy, Problem, traceOf } from '@orderly/kit/http';
import { checkSamePersonal, createOnce, idempotencyKey } from '@orderly/kit/idempotent-receiver';
import { endpoint } from '../endpoint.js';
import { limitOn, refuseFreeLines, refuseOverLimit } from './admission.js';
import { PlaceOrder } from './contract.js';
import { people, shownTo } from './customer-data-keys.js';
import { oversizedFreeLines } from './domain/admission.js';
import { OrdersMetric } from './metrics.js';
import { orderStore } from './order-store.js';

/**
 * POST /orders: reads the customer's list to check the limits, then makes one conditional write or repeats the first
 * answer.
 */
export const handler = endpoint({ roles: ['customer'], body: PlaceOrder }, async (request) => {
  const { caller } = request;
  const { deliverTo: address, ...body } = request.body;
  const { clientReference, ...impersonal } = body;
  // The hash covers whether there is an address or a reference, but not its content.
  const hashed = address ? { ...body, deliverTo: true } : body;
  const key = idempotencyKey({ ...keyedBy(request), body: hashed, personal: ['clientReference'] });
  const limit = await limitOn(caller.id, clock.now());
  // They run one after the other, so that the second one finds the key in memory.
  const deliverTo = address && (await people.unsealed(caller.id, address));
  const sealedReference = clientReference === undefined ? undefined : await people.unsealed(caller.id, clientReference);
  const isForgotten = (address && !deliverTo) || (clientReference !== undefined && !sealedReference);
  const free = oversizedFreeLines(body.lines);
  const refuseNew =
    free.length > 0
      ? () => refuseFreeLines(free)
      : limit
        ? () => refuseOverLimit(limit)
        : isForgotten
          ? refuseForgotten
          : undefined;
  const { loaded, replayed } = await createOnce({
    store: orderStore,
    key,
    trace: traceOf(request),
    refuseNew,
    command: (orderId) => ({
      type: 'Place',
      orderId,
      customerId: caller.id,
      ...impersonal,
      ...(deliverTo ? { deliverTo } : {}),
      ...(sealedReference ? { sealedReference } : {}),
    }),
  });
  const order = await shownTo(caller, loaded);
  checkSamePersonal(address, order.deliverTo);
  checkSamePersonal(clientReference, order.clientReference);
  count(replayed ? Metric.DUPLICATES_SUPPRESSED : OrdersMetric.ORDERS_PLACED);
  logger.info(replayed ? 'order placed before' : 'order placed', { orderId: order.orderId });
  const headers = { Location: `orders/${order.orderId}`, ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
  return { status: 201, body: order, headers };
});

function refuseForgotten(): never {
  throw new Problem(
    'person-forgotten',
    'your personal data was deleted, and none is taken any more: leave deliverTo and clientReference out',
  );
}
