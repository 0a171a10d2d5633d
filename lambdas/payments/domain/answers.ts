import type { PaymentEvent, RefusalReason } from '../contract.js';

type Reply = Extract<PaymentEvent, { type: 'SagaReplyRequested' }>;

/** The answer to a step: done, or why not. */
export const replyOf = (
  { customerId, orderId, stepId }: Omit<Reply['data'], 'outcome' | 'reason'>,
  reason?: RefusalReason,
): PaymentEvent => ({
  type: 'SagaReplyRequested',
  data: {
    customerId,
    orderId,
    stepId,
    ...(reason === undefined ? { outcome: 'DONE' } : { outcome: 'REFUSED', reason }),
  },
});

/** The answer to a step that has waited; none where nobody does, as for a payment that a customer asked for. */
export const answerTo = (
  { customerId, paymentId }: { readonly customerId: string; readonly paymentId: string },
  stepId: string | undefined,
  reason?: RefusalReason,
): readonly PaymentEvent[] =>
  stepId === undefined ? [] : [replyOf({ customerId, orderId: paymentId, stepId }, reason)];
