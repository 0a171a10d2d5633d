import { buildCommand } from '@orderly/kit/messages';
import type { RetryPolicy, Saga, SagaMessage } from '@orderly/kit/saga';
import { accountsContract } from '../../accounts/contract.js';
import { catalogContract } from '../../catalog/contract.js';
import { inventoryContract } from '../../inventory/contract.js';
import { paymentsContract } from '../../payments/contract.js';
import { OrderLimit, RejectionReason, type ReviewOutcome } from '../contract.js';
import type { CreateOrder, CreateOrderEvent } from '../saga-contract.js';
import { isOver, type Order, type OrderCommand, type Rejection } from './order.js';

/** Participants answer within a second; their queues hold what they can't process for much longer than this. */
const RETRY: RetryPolicy = { retryAfter: 60, timeout: 15 * 60 };
/** A payment provider may be down for longer than a customer would wait for stock. */
const RETRY_AT_PROVIDER: RetryPolicy = { retryAfter: 120, timeout: 60 * 60 };

/** Step that takes the customer's money. An order of a suspect or blocked user waits for its review before it. */
export const CHARGE = 'charge-payment';

/**
 * Saga (process manager) that approves a placed order in four steps: the catalogue confirms the price that the customer
 * agreed to, the account authorises the credit, the inventory reserves the stock, and the payment is charged. The end
 * of the last step approves the order (on-saga-message).
 */
export const createOrderSaga: Saga<CreateOrder> = {
  steps: [
    {
      name: 'confirm-prices',
      command: ({ orderId, lines }, stepId) =>
        buildCommand(catalogContract, 'ConfirmPrices', {
          orderId,
          stepId,
          lines: lines.map(({ sku, unitPrice }) => ({ sku, unitPrice })),
        }),
      retryPolicy: RETRY,
    },
    {
      name: 'authorize-account',
      command: ({ orderId, customerId, total }, stepId) =>
        buildCommand(accountsContract, 'AuthorizeAccount', { orderId, customerId, stepId, amount: total }),
      compensatingCommand: ({ orderId, customerId }, stepId) =>
        buildCommand(accountsContract, 'ReleaseAuthorization', { orderId, customerId, stepId }),
      retryPolicy: RETRY,
    },
    {
      name: 'reserve-stock',
      command: ({ orderId, lines }, stepId) =>
        buildCommand(inventoryContract, 'ReserveStock', {
          orderId,
          stepId,
          lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
        }),
      compensatingCommand: ({ orderId }, stepId) =>
        buildCommand(inventoryContract, 'ReleaseStock', { orderId, stepId }),
      retryPolicy: RETRY,
    },
    {
      name: CHARGE,
      command: ({ orderId, customerId, total }, stepId) =>
        buildCommand(paymentsContract, 'ChargePayment', { orderId, customerId, stepId, amount: total }),
      compensatingCommand: ({ orderId, customerId }, stepId) =>
        buildCommand(paymentsContract, 'RefundPayment', { orderId, customerId, stepId }),
      // Providers reject zero-amount charges.
      isNeeded: ({ total }) => total.amount > 0,
      retryPolicy: RETRY_AT_PROVIDER,
    },
  ],
  compensationPolicy: { retryAfter: 60, timeout: 3 * 24 * 60 * 60 },
};

/**
 * Returns the message that starts a placed order's saga; `undefined` if the order has already ended, by a cancellation
 * or in a release without sagas.
 */
export const toStartMessage = (order: Order, data: CreateOrder): SagaMessage<CreateOrder> | undefined =>
  isOver(order) ? undefined : { type: 'Start', data };

/** Fields that participants' answers have in common. If the step is absent, the answer is not for a saga. */
export interface Answer extends Refusal {
  readonly orderId: string;
  readonly stepId?: string;
  readonly reason?: string;
  readonly skus?: readonly string[];
}

/** Returns the saga's message for a participant's answer. */
export function toReplyMessage(
  { stepId = '', reason, skus }: Answer,
  outcome: 'DONE' | 'REFUSED',
): SagaMessage<CreateOrder> {
  if (outcome === 'DONE') return { type: 'Reply', stepId, outcome };
  const why = { ...(reason === undefined ? {} : { reason }), ...(skus ? { subjects: skus } : {}) };
  return { type: 'Reply', stepId, outcome, ...why };
}

/**
 * Returns the saga's next message if the order didn't accept the saga's command. The customer or an operator was faster:
 * the order stays cancelled or rejected, so its saga compensates instead of approving it.
 */
export const findSubstitute = (command: OrderCommand, order: Order): { readonly type: 'Cancel' } | undefined =>
  command.type === 'Approve' && (order.status === 'CANCELLED' || order.status === 'REJECTED')
    ? { type: 'Cancel' }
    : undefined;

/** Whether a saga's events send the charge for the first time. */
export const sendsCharge = (events: readonly CreateOrderEvent[]): boolean =>
  events.some(({ type, data }) => type === 'StepSent' && data.step === CHARGE && data.attempt === 1);

/** Returns the saga's message for the end of an order's review. */
export const toReviewMessage = (outcome: ReviewOutcome): SagaMessage<CreateOrder> =>
  outcome === 'REJECTED' ? { type: 'Cancel' } : { type: 'Release' };

/** Details of a participant's refusal besides its reason, with the names of its contract. */
export interface Refusal {
  readonly prices?: Rejection['prices'];
  readonly limit?: string;
}

/**
 * Returns the order's command that follows from the saga's events: approve it at their end, reject it as soon as the
 * failure is certain.
 * @param refusal details of the message that led to the events; empty if it was no answer
 */
export function toOrderCommand(events: readonly CreateOrderEvent[], refusal: Refusal): OrderCommand | undefined {
  for (const { type, data } of events) {
    if (type === 'SagaCompleted') return { type: 'Approve' };
    // A cancelled order needs no command.
    if (type !== 'SagaFailed' || data.ending.cause === 'CANCELLED') continue;
    const { cause, step, reason, subjects = [] } = data.ending;
    if (cause === 'UNANSWERED') return { type: 'Reject', reason: 'TIMED_OUT', skus: [] };
    if (step === CHARGE) return { type: 'Reject', reason: 'PAYMENT_DECLINED', skus: [] };
    return { type: 'Reject', ...toRejection(reason, subjects, refusal) };
  }
  return undefined;
}

function toRejection(reason: string | undefined, skus: readonly string[], { prices, limit }: Refusal): Rejection {
  const known = RejectionReason.safeParse(reason);
  const overLimit = OrderLimit.safeParse(limit);
  return {
    reason: known.success ? known.data : 'STEP_REFUSED',
    skus: [...skus],
    ...(prices ? { prices } : {}),
    ...(overLimit.success ? { limit: overLimit.data } : {}),
  };
}
