import { changeOnce } from '../../patterns/idempotent-receiver/change-once.js';
import { idempotencyKey } from '../../patterns/idempotent-receiver/idempotency-key.js';
import { clock } from '../../platform/clock.js';
import { Env } from '../../platform/environment.js';
import { Problem } from '../../platform/errors.js';
import { endpoint, keyedBy, traceOf } from '../../platform/http.js';
import { required, requiredInteger } from '../../platform/read-environment.js';
import { count, logger } from '../../platform/telemetry.js';
import { CancelOrder } from './contract.js';
import { decide, OrderRefused } from './domain/order.js';
import { orderIdOf, orderStore, visibleTo } from './order-store.js';
import { shownTo } from './people.js';

const records = { table: required(Env.RECORDS), windowSeconds: requiredInteger(Env.DEDUPE_WINDOW_SECONDS) };

/** POST /orders/{orderId}/cancellation: the change and the record of its key in one transaction. */
export const handler = endpoint({ roles: ['customer'], body: CancelOrder }, async (request) => {
  const { caller, body } = request;
  const { loaded, replayed } = await changeOnce({
    store: orderStore,
    key: idempotencyKey(keyedBy(request)),
    id: orderIdOf(request.parameter('orderId')),
    trace: traceOf(request),
    records,
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
