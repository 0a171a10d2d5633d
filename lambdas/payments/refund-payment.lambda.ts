import { count, logOutcome, Metric } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toKeyedRequest, toTrace } from '@orderly/kit/http';
import { changeOnce, createRequestRecord, recordsTableFromEnvironment } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { payments } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { countRefund } from './daily-limits.js';
import { PaymentRefused } from './domain/payment.js';
import { parsePaymentId, requireVisible } from './payment-store.js';
import { PaymentsProblem } from './problems.js';
import { refundPayment } from './routes.js';

const paymentStore = eventStoreFromEnvironment(payments);
const personalKeys = personalKeysFromEnvironment();
const records = recordsTableFromEnvironment();

/**
 * POST /payments/{paymentId}/refund: sets the amount aside, updates the customer's count of the day and records the
 * request in one transaction. The refund at the provider follows. An operator refunds the payment of a dispatched order,
 * for goods that came back, or a payment of no order; these refunds aren't counted.
 */
export const handler = endpoint(refundPayment, async (request) => {
  const { caller, body } = request;
  const record = createRequestRecord(toKeyedRequest(request), records);
  // Derived from the key or the session number, so a repeat after the deduplication window still finds its refund.
  const refundId = record.scope.slice(0, 32);
  const byOperator = caller.role === 'operator';
  const { loaded, replayed } = await changeOnce({
    store: paymentStore,
    record,
    id: parsePaymentId(request.parameter('paymentId')),
    trace: toTrace(request),
    admit: (payment) => void requireVisible(caller, payment),
    command: () => ({
      type: 'RequestRefund',
      refundId,
      byOperator,
      ...(body.amount === undefined ? {} : { amount: body.amount }),
    }),
    alongside: ({ at }, [event]) =>
      event?.type === 'RefundRequested' && !byOperator
        ? countRefund(records.table, caller.id, event.data.amount, at)
        : undefined,
  }).catch(throwNotRefundable);
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logOutcome(replayed ? 'refund requested before' : 'refund requested', { paymentId: loaded.id, refundId });
  const replay = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return {
    status: 201,
    body: await viewForCaller(personalKeys, caller, loaded),
    headers: { Location: `payments/${loaded.id}`, ...replay },
  };
});

/** @throws {Problem} 409 if the payment refused the refund, and otherwise the error itself */
function throwNotRefundable(error: unknown): never {
  if (!(error instanceof PaymentRefused)) throw error;
  throw new Problem(PaymentsProblem['not-refundable'], WHY_NOT[error.code] ?? error.code, {}, { cause: error });
}

const WHY_NOT: Partial<Record<PaymentRefused['code'], string>> = {
  NOT_CHARGED: 'the payment is not charged: there is nothing to give back',
  PAYS_AN_ORDER: 'it pays an order: cancel the order, and it is given back',
  DISPATCHED: 'its order was dispatched: an operator gives it back when the goods come back',
  NOT_DISPATCHED: 'its order was not dispatched: cancel the order, and it is given back',
  CURRENCY_MISMATCH: 'a payment is given back in the currency that it was charged in',
  OVER_CHARGED: 'that is more than is left of what was charged',
  TOO_MANY_REFUNDS: 'the payment was given back in too many parts',
};
