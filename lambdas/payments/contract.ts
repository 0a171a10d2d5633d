import type { CommandOf, EventOf } from '@orderly/kit/messages';
import { Sealed } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import { CustomerId } from '../accounts/contract.js';
import { Forgotten, Money, MoneyView, OrderId, StepId } from '../orders/contract.js';

/** Id of a payment or a refund, derived from the key of its request. The payment of an order has the order's id. */
const Id = z.string().check(z.minLength(1), z.maxLength(64));

/** Amount of a charge; zero is not allowed. */
const ChargeAmount = z.strictObject({
  amount: z.int().check(z.gte(1), z.lte(1e12)),
  currency: Money.shape.currency,
});

/**
 * Amount in messages. An order's total may exceed the limit of a single amount, but stays within the integers that a
 * number holds exactly.
 */
const Amount = z.object({ amount: z.int().check(z.gte(1)), currency: z.string() });

/**
 * Fee that the provider took for a charge, possibly in another currency than the charge's own. 0.2.0 neither writes nor
 * reads it.
 */
const Fee = z.object({ amount: z.int().check(z.gte(0)), currency: z.string() });

/** Fields of every command and of every answer to one. */
const Step = { customerId: CustomerId, orderId: OrderId, stepId: StepId };

/** The client's own name for what it pays; `Idempotency-Key: auto` requires it. */
const ClientReference = z.string().check(z.regex(/^[\x20-\x7e]{1,64}$/, 'expected 1 to 64 printable ASCII characters'));

/** Final reason for which a payment isn't charged. A provider knows more reasons; clients can act on these. */
export const DeclineReason = z.enum([
  'CARD_DECLINED',
  'INSUFFICIENT_FUNDS',
  'CARD_EXPIRED',
  'AUTHENTICATION_REQUIRED',
  'NO_PAYMENT_METHOD',
  'REFUSED_BY_PROVIDER',
  /** The order's saga compensated the payment before it was charged. */
  'VOIDED',
]);
export type DeclineReason = z.infer<typeof DeclineReason>;

/** Number of declined charges whose times a payer's event carries: the newest ones. */
export const MAX_DECLINES = 20;

/**
 * Reason for which a step is refused. `REFUND_FAILED`: the provider permanently refused the refund, and the money is
 * kept.
 */
const RefusalReason = z.enum([...DeclineReason.options, 'REFUND_FAILED']);
export type RefusalReason = z.infer<typeof RefusalReason>;

/**
 * Events that the payments service publishes and commands that it accepts; `subject` is `Payment/<paymentId>` or
 * `Payer/<customerId>`.
 */
export const paymentsContract = {
  service: 'payments',
  person: 'customerId',
  aggregatesOfPeople: ['Payer'],
  events: {
    /** A payment is to be charged: a customer's own request, or a step of an order's saga. */
    PaymentRequested: {
      version: 1,
      data: z.object({
        paymentId: Id,
        customerId: CustomerId,
        accountId: CustomerId,
        amount: Amount,
        /** 0.2.0 wrote this field; later releases write `sealedReference`. */
        clientReference: z.exactOptional(ClientReference),
        /** The customer's `clientReference`. 0.2.0 neither writes nor shows it. */
        sealedReference: z.exactOptional(Sealed),
        /** For an order's payment: the step that requested it and receives the answer. */
        stepId: z.exactOptional(StepId),
        requestedAt: z.iso.datetime(),
      }),
      personal: { sealedReference: 'customerId' },
      shownAs: { sealedReference: 'clientReference' },
    },
    /** The provider has created an object for the payment. It charges the object only after this event is committed. */
    PaymentPrepared: { version: 1, data: z.object({ paymentId: Id, providerId: z.string().check(z.maxLength(255)) }) },
    /** The provider charged the payment. Without a fee, it was not known then. */
    PaymentCharged: {
      version: 1,
      data: z.object({
        paymentId: Id,
        amount: Amount,
        fee: z.exactOptional(Fee),
        /** For an order's payment: the order and its customer. 0.2.0 neither writes nor reads them. */
        orderId: z.exactOptional(OrderId),
        customerId: z.exactOptional(CustomerId),
      }),
    },
    /** Nothing was charged, and nothing will be. */
    PaymentDeclined: { version: 1, data: z.object({ paymentId: Id, reason: DeclineReason }) },
    /** The amount is set aside from what was charged until the provider has refunded it. */
    RefundRequested: { version: 1, data: z.object({ paymentId: Id, refundId: Id, amount: Amount }) },
    /** The provider refunded this part, or all, of the charge. */
    PaymentRefunded: {
      version: 1,
      data: z.object({
        paymentId: Id,
        refundId: Id,
        amount: Amount,
        /** For the return of a dispatched order: the order and its customer. 0.2.0 neither writes nor reads them. */
        orderId: z.exactOptional(OrderId),
        customerId: z.exactOptional(CustomerId),
      }),
    },
    /** The order of the payment was dispatched: an operator may refund it from now on, for goods that come back. */
    ReturnsAllowed: { version: 1, data: z.object({ paymentId: Id }) },
    /** The provider permanently refused the refund; it may be requested again. */
    RefundFailed: { version: 1, data: z.object({ paymentId: Id, refundId: Id, amount: Amount }) },
    /** The compensation came before the charge: this order can't be charged any more. */
    PaymentVoided: { version: 1, data: z.object({ paymentId: Id }) },
    /** No money will be kept for the payment: an uncharged object is cancelled, and a charged one is refunded. */
    VoidRequested: { version: 1, data: z.object({ paymentId: Id, stepId: StepId }) },
    /** Answer to a step: in the commit that decided it, and again for each repeat of the step. */
    SagaReplyRequested: {
      version: 1,
      data: z.object({ ...Step, outcome: z.enum(['DONE', 'REFUSED']), reason: z.exactOptional(RefusalReason) }),
    },
    /**
     * What the provider has shown about a customer as a payer: the whole new state, so a copy needs the newest event only.
     * It has times, and nothing about a card.
     */
    PayerChanged: {
      version: 1,
      data: z.object({
        customerId: CustomerId,
        /** Times of the newest charges that the provider declined, at most {@link MAX_DECLINES}, oldest first. */
        declinedCharges: z.array(z.iso.datetime()),
        /** Time of the newest charge by another default payment method than the charge before it; absent if none was. */
        methodChangedAt: z.exactOptional(z.iso.datetime()),
      }),
    },
  },
  commands: {
    /** Charges the customer's account for the order. At most once per order. */
    ChargePayment: { version: 1, data: z.object({ ...Step, amount: Amount }) },
    /**
     * Ensures that no money is kept for the order, whatever the outcome of its charge, and whenever that outcome
     * arrives.
     */
    RefundPayment: { version: 1, data: z.object(Step) },
  },
} as const;

/** Prefix of the keys under which the service stores each account's customer at Stripe. */
export const STRIPE_CUSTOMERS = 'STRIPE#';

export type PaymentsEvent = EventOf<typeof paymentsContract>;
/** Events of one customer as a payer. */
export type PayerEvent = Extract<PaymentsEvent, { type: 'PayerChanged' }>;
/** Events of one payment. */
export type PaymentEvent = Exclude<PaymentsEvent, PayerEvent>;
/** A step of an order's saga. */
export type StepCommand = CommandOf<typeof paymentsContract>;

/** Body of `POST /payments`. */
export const RequestPayment = z.strictObject({
  accountId: CustomerId,
  amount: ChargeAmount,
  clientReference: z.exactOptional(ClientReference),
});
export type RequestPayment = z.infer<typeof RequestPayment>;

/** Body of `POST /payments/{paymentId}/refund`; without an amount, it refunds everything that is left. */
export const RefundPayment = z.strictObject({
  amount: z.exactOptional(ChargeAmount),
  clientReference: z.exactOptional(ClientReference),
});

/** A refund of a payment, as answers show it. */
export const RefundView = z.object({
  refundId: z.string(),
  amount: MoneyView,
  status: z.enum(['PENDING', 'REFUNDED', 'FAILED']),
});
export type RefundView = DeepReadonly<z.infer<typeof RefundView>>;

/** A payment as every answer shows it. */
export const PaymentView = z.object({
  paymentId: z.string(),
  customerId: z.string(),
  accountId: z.string(),
  amount: MoneyView,
  status: z.enum(['PENDING', 'CHARGED', 'DECLINED']),
  reason: z.exactOptional(withDescription('Reason for the decline.', DeclineReason)),
  clientReference: z.exactOptional(z.union([z.string(), Forgotten])),
  refunded: withDescription('Amount refunded so far.', MoneyView),
  refunds: z.array(RefundView),
  version: withDescription('Version of the payment in this view, from 1.', z.int()),
  requestedAt: withDescription('ISO 8601, UTC.', z.iso.datetime()),
});
export type PaymentView = DeepReadonly<z.infer<typeof PaymentView>>;
