import * as z from 'zod/mini';
import type { CommandOf, EventOf } from '../../packages/kit/messages/contract.js';
import { Sealed } from '../../packages/kit/personal-data/sealed.js';
import { CustomerId } from '../accounts/contract.js';
import { type Forgotten, type Money, OrderId, StepId } from '../orders/contract.js';

/** Of a payment or a refund: it follows from the key of its request. The payment of an order has the order's id. */
const Id = z.string().check(z.minLength(1), z.maxLength(64));

/** What a charge is about: nothing is not charged. */
const ChargeAmount = z.strictObject({
  amount: z.int().check(z.gte(1), z.lte(1e12)),
  currency: z.currencyCode(),
});

/** As it is told: an order's total may pass the limit of one amount, never what a number holds exactly. */
const Amount = z.object({ amount: z.int().check(z.gte(1)), currency: z.string() });

/** What every command and every answer to one names. */
const Step = { customerId: CustomerId, orderId: OrderId, stepId: StepId };

/** The client's own name for what it pays; `Idempotency-Key: auto` needs one. */
const ClientReference = z.string().check(z.regex(/^[\x20-\x7e]{1,64}$/, 'expected 1 to 64 printable ASCII characters'));

/** Why a payment isn't charged, for ever. A provider has more words for it; these are the ones that a client can act on. */
export const DeclineReason = z.enum([
  'CARD_DECLINED',
  'INSUFFICIENT_FUNDS',
  'CARD_EXPIRED',
  'AUTHENTICATION_REQUIRED',
  'NO_PAYMENT_METHOD',
  'REFUSED_BY_PROVIDER',
  /** Its order's saga undid it before it was charged. */
  'VOIDED',
]);
export type DeclineReason = z.infer<typeof DeclineReason>;

/** Why a step is refused. `REFUND_FAILED`: the provider gives the money back never, and it is kept. */
const RefusalReason = z.enum([...DeclineReason.options, 'REFUND_FAILED']);
export type RefusalReason = z.infer<typeof RefusalReason>;

/** What the payments service publishes and takes; `subject` is `Payment/<paymentId>`. */
export const paymentsContract = {
  service: 'payments',
  person: 'customerId',
  events: {
    PaymentRequested: {
      version: 1,
      data: z.object({
        paymentId: Id,
        customerId: CustomerId,
        accountId: CustomerId,
        amount: Amount,
        /** As 0.2.0 wrote it; since then it is `sealedReference`. */
        clientReference: z.exactOptional(ClientReference),
        /** The customer's `clientReference`. 0.2.0 neither writes nor shows it. */
        sealedReference: z.exactOptional(Sealed),
        /** Of an order's payment: who asked, and is answered. */
        stepId: z.exactOptional(StepId),
        requestedAt: z.iso.datetime(),
      }),
      personal: { sealedReference: 'customerId' },
      shownAs: { sealedReference: 'clientReference' },
    },
    /** The provider has an object for it, which isn't charged before this is committed. */
    PaymentPrepared: { version: 1, data: z.object({ paymentId: Id, providerId: z.string().check(z.maxLength(255)) }) },
    PaymentCharged: { version: 1, data: z.object({ paymentId: Id, amount: Amount }) },
    PaymentDeclined: { version: 1, data: z.object({ paymentId: Id, reason: DeclineReason }) },
    /** Set aside of what was charged, until the provider has given it back. */
    RefundRequested: { version: 1, data: z.object({ paymentId: Id, refundId: Id, amount: Amount }) },
    PaymentRefunded: { version: 1, data: z.object({ paymentId: Id, refundId: Id, amount: Amount }) },
    /** The provider gives it back never: it may be asked for again. */
    RefundFailed: { version: 1, data: z.object({ paymentId: Id, refundId: Id, amount: Amount }) },
    /** The undoing came first: this order can't be charged any more. */
    PaymentVoided: { version: 1, data: z.object({ paymentId: Id }) },
    /** From here on it ends without money kept: what isn't charged yet is cancelled, what is charged is given back. */
    VoidRequested: { version: 1, data: z.object({ paymentId: Id, stepId: StepId }) },
    /** The answer to a step: in the commit that decided it, and once more for each repeat. */
    SagaReplyRequested: {
      version: 1,
      data: z.object({ ...Step, outcome: z.enum(['DONE', 'REFUSED']), reason: z.exactOptional(RefusalReason) }),
    },
  },
  commands: {
    /** Charges the customer's account for the order. Once per order. */
    ChargePayment: { version: 1, data: z.object({ ...Step, amount: Amount }) },
    /** Sees to it that no money is kept for the order, whatever came of its charge, and whenever that comes. */
    RefundPayment: { version: 1, data: z.object(Step) },
  },
} as const;

/** Prefix of the keys under which the service keeps each account's customer at Stripe. */
export const STRIPE_CUSTOMERS = 'STRIPE#';

export type PaymentEvent = EventOf<typeof paymentsContract>;
/** A step of an order's saga. */
export type StepCommand = CommandOf<typeof paymentsContract>;

/** Body of `POST /payments`. */
export const RequestPayment = z.strictObject({
  accountId: CustomerId,
  amount: ChargeAmount,
  clientReference: z.exactOptional(ClientReference),
});
export type RequestPayment = z.infer<typeof RequestPayment>;

/** Body of `POST /payments/{paymentId}/refund`; without an amount it is all that is left. */
export const RefundPayment = z.strictObject({
  amount: z.exactOptional(ChargeAmount),
  clientReference: z.exactOptional(ClientReference),
});

/** A payment as every answer shows it. */
export interface PaymentView {
  readonly paymentId: string;
  readonly customerId: string;
  readonly accountId: string;
  readonly amount: Money;
  readonly status: 'PENDING' | 'CHARGED' | 'DECLINED';
  /** Why it was declined. */
  readonly reason?: DeclineReason;
  readonly clientReference?: string | Forgotten;
  /** Given back so far. */
  readonly refunded: Money;
  readonly refunds: readonly RefundView[];
  /** Version of the payment that this shows, from 1. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly requestedAt: string;
}

export interface RefundView {
  readonly refundId: string;
  readonly amount: Money;
  readonly status: 'PENDING' | 'REFUNDED' | 'FAILED';
}
