import type { PaymentEvent, RefusalReason } from '../contract.js';

type Reply = Extract<PaymentEvent, { type: 'SagaReplyRequested' }>;

/** Builds the answer to a step: done, or the reason for its refusal. */
export const createReply = (
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

/** Builds the answer to a waiting step; empty if no step is waiting, as for a payment that a customer requested. */
export const replyToStep = (
  { customerId, paymentId }: { readonly customerId: string; readonly paymentId: string },
  stepId: string | undefined,
  reason?: RefusalReason,
): readonly PaymentEvent[] =>
  stepId === undefined ? [] : [createReply({ customerId, orderId: paymentId, stepId }, reason)];
