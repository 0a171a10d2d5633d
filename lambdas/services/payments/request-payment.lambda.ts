import { changeOnce } from '../../patterns/idempotent-receiver/change-once.js';
import { createOnce } from '../../patterns/idempotent-receiver/create-once.js';
import { idempotencyKey } from '../../patterns/idempotent-receiver/idempotency-key.js';
import { recordOfRequest } from '../../patterns/idempotent-receiver/record-of-request.js';
import { requestRecords } from '../../patterns/idempotent-receiver/request-record.js';
import { clock } from '../../platform/clock.js';
import { Problem } from '../../platform/errors.js';
import { endpoint, keyedBy, traceOf } from '../../platform/http.js';
import { count, logger } from '../../platform/telemetry.js';
import { RequestPayment } from './contract.js';
import { countPayment } from './daily-limits.js';
import { decide, initialState, type Payment } from './domain/payment.js';
import { paymentStore, visibleTo } from './payment-store.js';

const records = requestRecords();

/**
 * POST /payments: one transaction with the customer's count of the day, or the first answer again; by a session's number the
 * session is a part of it.
 * The provider isn't called here: the commit is, and its stream brings it to the consumer that charges
 * (`provider-consumer.ts`).
 */
export const handler = endpoint({ roles: ['customer'], body: RequestPayment }, async (request) => {
  const { body, caller } = request;
  if (body.accountId !== caller.id) throw new Problem('not-found', 'there is no such account');
  const requested = keyedBy(request);
  const trace = traceOf(request);
  const decideOn = (payment: Payment, paymentId: string) =>
    decide(payment, { type: 'Request', paymentId, customerId: caller.id, ...body }, { now: clock.now() });
  const alongside = ({ at }: { readonly at: string }) => countPayment(caller.id, at);
  const byKey = () =>
    createOnce({
      store: paymentStore,
      initialState,
      key: idempotencyKey(requested),
      trace,
      decide: (paymentId) => decideOn(initialState, paymentId),
      alongside,
    });
  const byNumber = () => {
    const record = recordOfRequest(requested, records);
    return changeOnce({
      store: paymentStore,
      record,
      id: record.scope.slice(0, 32),
      trace,
      // The id follows from the caller: there is nobody else's payment to be seen.
      admit: () => undefined,
      decide: ({ state, id }) => decideOn(state, id),
      alongside,
    });
  };
  const { loaded, replayed } = await (requested.session ? byNumber() : byKey());
  const payment = visibleTo(caller, loaded);
  if (replayed) count('DuplicatesSuppressed');
  logger.info(replayed ? 'payment requested before' : 'payment requested', { paymentId: payment.paymentId });
  const replay = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 201, body: payment, headers: { Location: `payments/${payment.paymentId}`, ...replay } };
});
