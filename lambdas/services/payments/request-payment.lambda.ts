import { createOnce } from '../../patterns/idempotent-receiver/create-once.js';
import { idempotencyKey } from '../../patterns/idempotent-receiver/idempotency-key.js';
import { clock } from '../../platform/clock.js';
import { Problem } from '../../platform/errors.js';
import { endpoint, keyedBy, traceOf } from '../../platform/http.js';
import { count, logger } from '../../platform/telemetry.js';
import { RequestPayment } from './contract.js';
import { decide, initialState } from './domain/payment.js';
import { paymentStore, visibleTo } from './payment-store.js';

/**
 * POST /payments: one conditional write, or the first answer again. The provider isn't called here: the commit is, and
 * its stream brings it to the consumer that charges (`provider-consumer.ts`).
 */
export const handler = endpoint({ roles: ['customer'], body: RequestPayment }, async (request) => {
  const { body, caller } = request;
  if (body.accountId !== caller.id) throw new Problem('not-found', 'there is no such account');
  const { loaded, replayed } = await createOnce({
    store: paymentStore,
    initialState,
    key: idempotencyKey(keyedBy(request)),
    trace: traceOf(request),
    decide: (paymentId) =>
      decide(initialState, { type: 'Request', paymentId, customerId: caller.id, ...body }, { now: clock.now() }),
  });
  const payment = visibleTo(caller, loaded);
  if (replayed) count('DuplicatesSuppressed');
  logger.info(replayed ? 'payment requested before' : 'payment requested', { paymentId: payment.paymentId });
  const replay = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 201, body: payment, headers: { Location: `payments/${payment.paymentId}`, ...replay } };
});
