import { count, logOutcome, Metric, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toTrace } from '@orderly/kit/http';
import {
  changeOnce,
  createOnce,
  createRequestRecord,
  PersonalRequest,
  parseIdempotencyKey,
  recordsTableFromEnvironment,
} from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { AppProblem } from '../problems.js';
import { findCodeRefusal } from '../standard-codes.js';
import { isClosed } from './account-status.js';
import { payments } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { paymentsContract } from './contract.js';
import { countPayment } from './daily-limits.js';
import type { PaymentCommand } from './domain/payment.js';
import { requestPayment } from './routes.js';

const table = tableFromEnvironment();
const paymentStore = eventStoreFromEnvironment(payments);
const personalKeys = personalKeysFromEnvironment();
const records = recordsTableFromEnvironment();
const personal = new PersonalRequest(personalKeys, paymentsContract.events.PaymentRequested);

/**
 * POST /payments: makes one transaction with the customer's count of the day, or repeats the first answer. If the
 * request has a session number, the session is part of the transaction.
 *
 * It doesn't call the provider. It commits the request, and the stream brings that to the consumer that charges
 * (`provider-consumer.ts`).
 */
export const handler = endpoint(requestPayment, async (request) => {
  const { body, caller } = request;
  if (body.accountId !== caller.id) throw new Problem('not-found', 'no account has this id');
  const trace = toTrace(request);
  const alongside = ({ at }: { readonly at: string }) => countPayment(records.table, caller.id, at);
  const { shown: payment, replayed } = await personal.once(request, caller.id, {
    key: (keyed) => (keyed.session ? createRequestRecord(keyed, records) : parseIdempotencyKey(keyed)),
    reads: () => isClosed(table, body.accountId),
    make: ({ key, fields, refuseForgotten }, closed) => {
      const refuseNew = findCodeRefusal(body) ?? (closed ? refuseClosed : refuseForgotten);
      const buildCommand = (paymentId: string): PaymentCommand => {
        refuseNew?.();
        const { accountId, amount } = body;
        return { type: 'Request', paymentId, customerId: caller.id, accountId, amount, ...fields };
      };
      if (!('claim' in key)) {
        return createOnce({ store: paymentStore, key, trace, refuseNew, command: buildCommand, alongside });
      }
      return changeOnce({
        store: paymentStore,
        record: key,
        id: key.scope.slice(0, 32),
        trace,
        // The id is derived from the caller, so it can't be another customer's payment.
        admit: () => undefined,
        command: ({ id }) => buildCommand(id),
        alongside,
      });
    },
    show: (keys, { loaded }) => viewForCaller(keys, caller, loaded),
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logOutcome(replayed ? 'payment requested before' : 'payment requested', { paymentId: payment.paymentId });
  const replay = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 201, body: payment, headers: { Location: `payments/${payment.paymentId}`, ...replay } };
});

/** @throws {Problem} 409, always: the account is closed */
function refuseClosed(): never {
  throw new Problem(
    AppProblem['account-closed'],
    'your account is closed, so it takes no new payment: contact support',
  );
}
