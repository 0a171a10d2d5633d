import { type CommandOf, type EventOf, earlierShape, Sealed } from '@orderly/kit/messages';
import { type DeepReadonly, withDescription } from '@orderly/kit/routes';
import * as z from 'zod/mini';
import {
  AccountClosed,
  Money,
  MoneyView,
  OrderId,
  OrderLimit,
  reasonWithClosed,
  reasonWithoutClosed,
  StepId,
  Text,
} from '../orders/contract.js';

/** Id of the customer and of the account: the identity provider's id, never a name. */
export const CustomerId = z.string().check(z.minLength(1), z.maxLength(128));

/**
 * An order's total may exceed the limit of a single amount, but stays within the integers that a number holds exactly.
 */
const Amount = z.object({ amount: z.int().check(z.gte(0)), currency: z.string() });

/** Fields of every command to an account and of every answer. */
const Step = { customerId: CustomerId, orderId: OrderId, stepId: StepId };

const RefundId = z.string().check(z.minLength(1), z.maxLength(64));

/** Points of one bonus. */
const BonusPoints = z.int().check(z.gte(1), z.lte(1_000_000));

/** Limit that `OVER_LIMIT` is about, unless it is the credit. 0.2.0 neither writes nor reads it. */
const Limit = z.exactOptional(OrderLimit);

/**
 * Part of the amount that was settled before, and so has been available since then; absent if there is none. 0.2.0
 * neither writes nor reads it.
 */
const Settled = z.exactOptional(Amount);

/** The reasons that 0.2.0 reads. */
const DeclineReason1 = z.enum(['OVER_LIMIT', 'CURRENCY_MISMATCH']);
/** Final reason for which an order is not authorised. */
export const DeclineReason = z.enum([...DeclineReason1.options, 'ACCOUNT_CLOSED']);
export type DeclineReason = z.infer<typeof DeclineReason>;

/** The reasons that 0.2.0 reads. */
const RefusalReason1 = z.enum([
  ...DeclineReason1.options,
  'RELEASED',
  'NOT_AUTHORIZED',
  'NOT_CAPTURED',
  'ALREADY_CAPTURED',
  'OVER_CAPTURED',
  'TOO_MANY_REFUNDS',
]);
/** Reason for which a step is refused. `RELEASED`: its order can't be authorised or captured any more. */
const RefusalReason = z.enum([...RefusalReason1.options, 'ACCOUNT_CLOSED']);
export type RefusalReason = z.infer<typeof RefusalReason>;

const AuthorizationDeclined2 = z.object({ ...Step, amount: Amount, reason: DeclineReason, limit: Limit });
const AuthorizationDeclined1 = z.extend(AuthorizationDeclined2, {
  reason: DeclineReason1,
  accountClosed: AccountClosed,
});

const SagaReplyRequested2 = z.object({
  ...Step,
  outcome: z.enum(['DONE', 'REFUSED']),
  reason: z.exactOptional(RefusalReason),
  limit: Limit,
});
const SagaReplyRequested1 = z.extend(SagaReplyRequested2, {
  reason: z.exactOptional(RefusalReason1),
  accountClosed: AccountClosed,
});

/** Change of an account's status by an operator, at this time, for a reason in the operator's own words. */
const StatusChange = z.object({ customerId: CustomerId, at: z.iso.datetime(), reason: z.exactOptional(Sealed) });

/** Events that the accounts service publishes and commands that it accepts; `subject` is `Account/<customerId>`. */
export const accountsContract = {
  service: 'accounts',
  aggregatesOfPeople: ['Account'],
  // Every command changes its customer's account.
  contends: 'customerId',
  events: {
    /** A customer has an account, with this credit limit. The first message to an account opens it. */
    AccountOpened: { version: 1, data: z.object({ customerId: CustomerId, creditLimit: Money }) },
    /** An operator set the customer's credit limit. */
    CreditLimitSet: { version: 1, data: z.object({ customerId: CustomerId, creditLimit: Money }) },
    /**
     * An operator closed the account: no further order is authorised. Orders that were authorised before are captured,
     * released, settled and refunded as ever. The account and its history stay.
     */
    AccountClosed: { version: 1, data: StatusChange, personal: { reason: 'customerId' } },
    /** An operator opened the closed account again. */
    AccountReopened: { version: 1, data: StatusChange, personal: { reason: 'customerId' } },
    /**
     * The amount is held for the order. `at` is the time, by which the orders of an hour are counted; 0.2.0 doesn't
     * write it.
     */
    AccountAuthorized: {
      version: 1,
      data: z.object({ ...Step, amount: Amount, at: z.exactOptional(z.iso.datetime()) }),
    },
    /** Nothing is held for the order, for this reason. */
    AuthorizationDeclined: {
      version: 2,
      writes: 1,
      data: AuthorizationDeclined2,
      earlier: {
        1: earlierShape(
          AuthorizationDeclined1,
          reasonWithClosed,
          ({ reason, ...data }: z.infer<typeof AuthorizationDeclined2>) => ({
            ...data,
            ...reasonWithoutClosed(reason),
          }),
        ),
      },
    },
    /**
     * The customer owes the amount that was held, except for `settles`: the part that this event settles, since an approved order was
     * charged. This release reads it, and writes it with the setting `settlements` only.
     */
    AuthorizationCaptured: {
      version: 1,
      data: z.object({ ...Step, amount: Amount, settles: z.exactOptional(Amount) }),
    },
    /** The amount that was held is available again, except for the part that was settled before. */
    AuthorizationReleased: { version: 1, data: z.object({ ...Step, amount: Amount, settled: Settled }) },
    /** The release came before the authorization: this order can't be authorised any more. */
    AuthorizationVoided: { version: 1, data: z.object(Step) },
    /** The customer gets back this part, or all, of the order's captured amount. */
    AccountRefunded: {
      version: 1,
      data: z.object({ ...Step, refundId: RefundId, amount: Amount, settled: Settled }),
    },
    /**
     * The order's payment was charged, so this amount of the order no longer uses credit. Once per order, unless its capture has settled
     * it.
     */
    CreditSettled: { version: 1, data: z.object({ customerId: CustomerId, orderId: OrderId, amount: Amount }) },
    /** An operator gave the customer points, for a reason in the operator's own words. It doesn't change the credit. */
    BonusApplied: {
      version: 1,
      data: z.object({ customerId: CustomerId, points: BonusPoints, reason: Sealed }),
      personal: { reason: 'customerId' },
    },
    /**
     * An account without available credit was changed: none was left before this commit or after it, as `exhausted` says. This
     * release reads it, and writes it with the setting `exhaustedAccounts` only.
     */
    ExhaustedAccountChanged: {
      version: 1,
      writes: 0 as 0 | 1,
      data: z.object({ customerId: CustomerId, exhausted: z.boolean() }),
    },
    /** Answer to a step that changes nothing, because it was done before or is refused. Nothing else happened. */
    SagaReplyRequested: {
      version: 2,
      writes: 1,
      data: SagaReplyRequested2,
      earlier: {
        1: earlierShape(
          SagaReplyRequested1,
          reasonWithClosed,
          ({ reason, ...data }: z.infer<typeof SagaReplyRequested2>) => ({
            ...data,
            ...(reason === undefined ? {} : reasonWithoutClosed(reason)),
          }),
        ),
      },
    },
  },
  commands: {
    /** Holds the amount, unless it exceeds the customer's credit. At most once per order. */
    AuthorizeAccount: { version: 1, data: z.object({ ...Step, amount: Amount }) },
    /** Captures the whole amount that is held for the order. At most once per order. */
    CaptureAuthorization: { version: 1, data: z.object(Step) },
    /**
     * Releases the amount that is held for the order, and prevents any later authorization, however late it is
     * requested.
     */
    ReleaseAuthorization: { version: 1, data: z.object(Step) },
    /** Refunds once per order and refund id; all refunds of an order together are at most the captured amount. */
    RefundAccount: { version: 1, data: z.object({ ...Step, refundId: RefundId, amount: Amount }) },
  },
} as const;
/** The contract of functions that write `ExhaustedAccountChanged`. */
export const tellingContract: typeof accountsContract = {
  ...accountsContract,
  events: {
    ...accountsContract.events,
    ExhaustedAccountChanged: { ...accountsContract.events.ExhaustedAccountChanged, writes: 1 },
  },
};
export type AccountEvent = EventOf<typeof accountsContract>;
export type AccountCommand = CommandOf<typeof accountsContract>;

/** Index of the accounts without available credit: `exhaustedPk`, `exhaustedSk`. */
export const EXHAUSTED_INDEX = 'exhausted';

/** Body of `PUT /accounts/{customerId}/credit-limit`. */
export const SetCreditLimit = z.strictObject({ creditLimit: Money });

/** Body of `POST /accounts/{customerId}/bonus`. */
export const ApplyBonus = z.strictObject({
  points: BonusPoints,
  reason: Text.check(z.minLength(1), z.maxLength(200)),
});

/** Status of an account, set by an operator. */
const AccountStatus = z.enum(['OPEN', 'CLOSED']);
export type AccountStatus = z.infer<typeof AccountStatus>;

/** Body of `PUT /accounts/{customerId}/status`. */
export const SetAccountStatus = z.strictObject({
  status: AccountStatus,
  /** Why the operator changes it. Text about a person is personal data, so it is sealed. */
  reason: z.exactOptional(Text.check(z.minLength(1), z.maxLength(200))),
});

/** An account as every answer shows it. */
export const AccountView = z.object({
  customerId: z.string(),
  status: withDescription('For a `CLOSED` account no further order is authorised.', AccountStatus),
  closedAt: z.exactOptional(withDescription('ISO 8601, UTC; absent while the account is open.', z.iso.datetime())),
  creditLimit: MoneyView,
  authorized: withDescription('Amount held for orders in progress.', MoneyView),
  captured: withDescription('Amount captured so far.', MoneyView),
  refunded: withDescription('Amount refunded so far, of the captured one.', MoneyView),
  settled: withDescription(
    'Part of `authorized` and `captured` that payments have settled, without what was released or refunded since.',
    MoneyView,
  ),
  available: withDescription(
    '`creditLimit` - (`authorized` + `captured` - `refunded` - `settled`); 0 if the limit was set below the amount in use, or the account is closed.',
    MoneyView,
  ),
  version: withDescription('Version of the account in this view, from 1.', z.int()),
});
export type AccountView = DeepReadonly<z.infer<typeof AccountView>>;
