import { changeOnce } from '../../patterns/idempotent-receiver/change-once.js';
import { recordOfRequest } from '../../patterns/idempotent-receiver/record-of-request.js';
import { requestRecords } from '../../patterns/idempotent-receiver/request-record.js';
import { clock } from '../../platform/clock.js';
import { Problem } from '../../platform/errors.js';
import { endpoint, keyedBy, traceOf } from '../../platform/http.js';
import { count, logger } from '../../platform/telemetry.js';
import { CancelOrder } from './contract.js';
import { decide, OrderRefused } from './domain/order.js';
import { orderIdOf, orderStore, visibleTo } from './order-store.js';
import { shownTo } from './people.js';

const records = requestRecords();

/** POST /orders/{orderId}/cancellation: the change and the record of its request in one transaction. */
export const handler = endpoint({ roles: ['customer'], body: CancelOrder }, async (request) => {
  const { caller, body } = request;
  const { loaded, replayed } = await changeOnce({
    store: orderStore,
    record: recordOfRequest(keyedBy(request), records),
    id: orderIdOf(request.parameter('orderId')),
    trace: traceOf(request),
    admit: (order) => void visibleTo(caller, order),
    decide: ({ state }) => {
      try {
        return decide(state, { type: 'Cancel', ...body }, { now: clock.now() });
      } catch (error) {
        if (!(error instanceof OrderRefused)) throw error;
        throw new Problem('too-late', 'the order was rejected: there is nothing left to cancel', {}, { cause: error });
      }
    },
  });
  if (replayed) count('DuplicatesSuppressed');
  logger.info(replayed ? 'order cancelled before' : 'order cancelled', { orderId: loaded.id });
  const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 200, body: await shownTo(caller, loaded), headers };
});
