import * as z from 'zod/mini';
import type { CommandOf, EventOf } from '../../packages/kit/messages/contract.js';
import { Money, OrderId, OrderLimit, StepId } from '../orders/contract.js';

/** The customer is the account's id: an id of the issuer's, never a name. */
export const CustomerId = z.string().check(z.minLength(1), z.maxLength(128));

/** An order's total may pass the limit of one amount, never what a number holds exactly. */
const Amount = z.object({ amount: z.int().check(z.gte(0)), currency: z.string() });

/** What every command and every answer of an account names. */
const Step = { customerId: CustomerId, orderId: OrderId, stepId: StepId };

const RefundId = z.string().check(z.minLength(1), z.maxLength(64));

/** Which limit `OVER_LIMIT` is about, where it isn't the credit. 0.2.0 neither writes nor reads it. */
const Limit = z.exactOptional(OrderLimit);

/** Why an order is not authorised, for ever. */
export const DeclineReason = z.enum(['OVER_LIMIT', 'CURRENCY_MISMATCH']);
export type DeclineReason = z.infer<typeof DeclineReason>;

/** Why a step is refused. `RELEASED`: its order can't be authorised or captured any more. */
const RefusalReason = z.enum([
  ...DeclineReason.options,
  'RELEASED',
  'NOT_AUTHORIZED',
  'NOT_CAPTURED',
  'ALREADY_CAPTURED',
  'OVER_CAPTURED',
  'TOO_MANY_REFUNDS',
]);
export type RefusalReason = z.infer<typeof RefusalReason>;

/** What the accounts service publishes and takes; `subject` is `Account/<customerId>`. */
export const accountsContract = {
  service: 'accounts',
  aggregatesOfPeople: ['Account'],
  events: {
    AccountOpened: { version: 1, data: z.object({ customerId: CustomerId, creditLimit: Money }) },
    CreditLimitSet: { version: 1, data: z.object({ customerId: CustomerId, creditLimit: Money }) },
    /** The amount is held for the order. `at`: when, which counts the orders of an hour; 0.2.0 doesn't write it. */
    AccountAuthorized: {
      version: 1,
      data: z.object({ ...Step, amount: Amount, at: z.exactOptional(z.iso.datetime()) }),
    },
    AuthorizationDeclined: {
      version: 1,
      data: z.object({ ...Step, amount: Amount, reason: DeclineReason, limit: Limit }),
    },
    /** What was held is owed. */
    AuthorizationCaptured: { version: 1, data: z.object({ ...Step, amount: Amount }) },
    /** What was held is free again. */
    AuthorizationReleased: { version: 1, data: z.object({ ...Step, amount: Amount }) },
    /** The release came first: this order can't be authorised any more. */
    AuthorizationVoided: { version: 1, data: z.object(Step) },
    /** A part of what was owed for the order, or all of it, is owed no more. */
    AccountRefunded: { version: 1, data: z.object({ ...Step, refundId: RefundId, amount: Amount }) },
    /** The answer to a step that changes nothing: done before, or refused. Nothing else happened. */
    SagaReplyRequested: {
      version: 1,
      data: z.object({
        ...Step,
        outcome: z.enum(['DONE', 'REFUSED']),
        reason: z.exactOptional(RefusalReason),
        limit: Limit,
      }),
    },
  },
  commands: {
    /** Holds the amount, unless the customer's credit doesn't reach. Once per order. */
    AuthorizeAccount: { version: 1, data: z.object({ ...Step, amount: Amount }) },
    /** Takes the whole of what is held for the order. Once per order. */
    CaptureAuthorization: { version: 1, data: z.object(Step) },
    /** Frees what is held for the order, and holds nothing for it any more, whenever that is asked for. */
    ReleaseAuthorization: { version: 1, data: z.object(Step) },
    /** Once per order and refund id; all refunds of an order together are at most what was captured. */
    RefundAccount: { version: 1, data: z.object({ ...Step, refundId: RefundId, amount: Amount }) },
  },
} as const;
export type AccountEvent = EventOf<typeof accountsContract>;
export type AccountCommand = CommandOf<typeof accountsContract>;

/** Index of the accounts that have no credit left: `exhaustedPk`, `exhaustedSk`. */
export const EXHAUSTED_INDEX = 'exhausted';

/** Body of `PUT /accounts/{customerId}/credit-limit`. */
export const SetCreditLimit = z.strictObject({ creditLimit: Money });

/** An account as every answer shows it. */
export interface AccountView {
  readonly customerId: string;
  readonly creditLimit: Money;
  /** Held for orders that are under way. */
  readonly authorized: Money;
  /** Taken so far. */
  readonly captured: Money;
  /** Of what was taken, given back so far. */
  readonly refunded: Money;
  /** `creditLimit` - (`authorized` + `captured` - `refunded`); 0 where the limit was set below what is used. */
  readonly available: Money;
  /** Version of the account that this shows, from 1. */
  readonly version: number;
}
