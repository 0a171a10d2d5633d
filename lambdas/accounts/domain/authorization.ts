import type { Decider, Now } from '@orderly/kit/decider';
import type { Money } from '../../orders/contract.js';
import type { AccountCommand, AccountEvent, RefusalReason } from '../contract.js';
import {
  type Account,
  AccountRefused,
  accountDecider,
  type Decline,
  evolveAccount,
  findDeclineReason,
  type OrderLimits,
  openIfNew,
} from './account.js';
import { withExhaustion } from './exhaustion.js';

/**
 * An account's data of one order, folded from the events that name the order. `VOID` is the tombstone of a release that
 * came first. `DECLINED` and `RELEASED` are final too: one order is authorised at most once.
 */
export type Authorization =
  | { readonly status: 'NONE' | 'VOID' }
  | ({ readonly status: 'DECLINED'; readonly amount: Money } & Decline)
  | { readonly status: 'RELEASED'; readonly amount: Money }
  | ({ readonly status: 'AUTHORIZED' } & Owed)
  | ({
      readonly status: 'CAPTURED';
      /** Amounts by refund id. */
      readonly refunds: Readonly<Record<string, number>>;
    } & Owed);

/** Amount of an order that is held or captured. */
interface Owed {
  readonly amount: Money;
  /** Part of the amount that its payment has settled; without what was refunded since. */
  readonly settled: number;
}

/** Command that follows from an event of an order, or of its payment. */
export type PaymentCommand =
  /** The order was approved, after its payment was charged: its amount is captured, and settled (setting `settlements`). */
  | { readonly type: 'ApproveOrder'; readonly data: OrderIds & { readonly stepId: string } }
  /** The payment was charged. */
  | { readonly type: 'SettleOrder'; readonly data: OrderIds }
  /** The order was dispatched, and its payment was refunded for goods that came back. */
  | {
      readonly type: 'ReturnOrder';
      readonly data: OrderIds & { readonly refundId: string; readonly amount: Money };
    };

interface OrderIds {
  readonly customerId: string;
  readonly orderId: string;
}

/** State that a decision about an order needs. */
export interface AccountState {
  readonly account: Account;
  readonly authorization: Authorization;
}

/** Inputs of a decision besides state, command and time. */
export interface Facts {
  /** Credit limit with which an account is opened. */
  readonly defaultCreditLimit: Money;
  readonly limits: OrderLimits;
  /** Whether a commit says that an account has no available credit (`exhaustion.ts`). @default false */
  readonly tellsExhaustion?: boolean;
  /** Whether a captured amount is settled by the same event, since orders are approved after their charge. @default false */
  readonly settlesApproved?: boolean;
}

export const initialState: AccountState = {
  account: accountDecider.initialState,
  authorization: { status: 'NONE' },
};

/** Maximum number of refunds of one order: the data of all of them has to fit into the order's item. */
const MAX_REFUNDS = 100;

/**
 * Returns the events that follow from a command: the fact, or the answer to a command that changes nothing. It returns
 * one for each step, because the sender waits for an answer. It returns none for a payment that settles nothing.
 * @throws {AccountRefused} `AMOUNT_DIFFERS` if the same business id comes with another amount
 */
export function decide(
  state: AccountState,
  command: AccountCommand | PaymentCommand,
  facts: Facts & Now,
): readonly AccountEvent[] {
  const events = decideStep(state, command, facts);
  return facts.tellsExhaustion ? withExhaustion(state.account, command.data.customerId, events) : events;
}

function decideStep(
  state: AccountState,
  command: AccountCommand | PaymentCommand,
  facts: Facts & Now,
): readonly AccountEvent[] {
  switch (command.type) {
    case 'SettleOrder':
      return settle(state, command);
    case 'ApproveOrder':
      return approve(state, command, facts);
    case 'ReturnOrder':
      return returnOrder(state, command, facts);
    case 'AuthorizeAccount':
      return authorize(state, command, facts);
    case 'CaptureAuthorization':
      return capture(state, command);
    case 'ReleaseAuthorization':
      return release(state, command);
    case 'RefundAccount':
      return refund(state, command);
  }
}

/** Refund id for an order that is cancelled after its amount was captured. */
const CANCELLATION = 'cancellation';

/** Builds the command that follows from an order's end: capture (and settle) the held amount, or release or refund all of it. */
export function commandForOrderEnd(
  authorization: Authorization,
  { how, ...ids }: { readonly orderId: string; readonly customerId: string; readonly how: 'APPROVED' | 'CANCELLED' },
): AccountCommand | PaymentCommand {
  const data = { ...ids, stepId: `${ids.orderId}/${how.toLowerCase()}` };
  if (how === 'APPROVED') return { type: 'ApproveOrder', data };
  if (authorization.status !== 'CAPTURED') return { type: 'ReleaseAuthorization', data };
  const { amount, refunds } = authorization;
  const left = refunds[CANCELLATION] ?? amount.amount - sum(Object.values(refunds));
  return { type: 'RefundAccount', data: { ...data, refundId: CANCELLATION, amount: { ...amount, amount: left } } };
}

type Command<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;
type Of<Type extends PaymentCommand['type']> = Extract<PaymentCommand, { type: Type }>;

function authorize(
  { account, authorization }: AccountState,
  { data }: Command<'AuthorizeAccount'>,
  { defaultCreditLimit, limits, now }: Facts & Now,
): readonly AccountEvent[] {
  const { customerId, amount } = data;
  switch (authorization.status) {
    case 'VOID':
    case 'RELEASED':
      return [replyRefused(data, 'RELEASED')];
    case 'DECLINED':
      checkSameAmount(authorization.amount, amount);
      return [replyDeclined(data, authorization)];
    case 'AUTHORIZED':
    case 'CAPTURED':
      checkSameAmount(authorization.amount, amount);
      return [replyDone(data)];
    case 'NONE': {
      const opening = openIfNew(account, customerId, defaultCreditLimit);
      const decline = findDeclineReason(opening.reduce(evolveAccount, account), amount, limits, now);
      return [
        ...opening,
        decline
          ? { type: 'AuthorizationDeclined', data: { ...data, ...decline } }
          : { type: 'AccountAuthorized', data: { ...data, at: now } },
      ];
    }
  }
}

function capture({ authorization }: AccountState, { data }: Command<'CaptureAuthorization'>): readonly AccountEvent[] {
  switch (authorization.status) {
    case 'NONE':
    case 'DECLINED':
      return [replyRefused(data, 'NOT_AUTHORIZED')];
    case 'VOID':
    case 'RELEASED':
      return [replyRefused(data, 'RELEASED')];
    case 'AUTHORIZED':
      return [{ type: 'AuthorizationCaptured', data: { ...data, amount: authorization.amount } }];
    case 'CAPTURED':
      return [replyDone(data)];
  }
}

function release({ authorization }: AccountState, { data }: Command<'ReleaseAuthorization'>): readonly AccountEvent[] {
  switch (authorization.status) {
    case 'NONE':
      return [{ type: 'AuthorizationVoided', data }];
    case 'AUTHORIZED':
      return [
        {
          type: 'AuthorizationReleased',
          data: { ...data, amount: authorization.amount, ...computeSettledPart(authorization, authorization.amount) },
        },
      ];
    case 'VOID':
    case 'DECLINED':
    case 'RELEASED':
      return [replyDone(data)];
    case 'CAPTURED':
      return [replyRefused(data, 'ALREADY_CAPTURED')];
  }
}

/**
 * Settles what the order uses of the credit, once. The charge usually comes before the capture, since the saga approves
 * an order after its charge; but the two arrive in any order. After a release or a full refund nothing is left to settle.
 */
function settle({ authorization }: AccountState, { data }: Of<'SettleOrder'>): readonly AccountEvent[] {
  if (authorization.status !== 'AUTHORIZED' && authorization.status !== 'CAPTURED') return [];
  const amount = computeUsed(authorization);
  if (amount === 0) return [];
  return [{ type: 'CreditSettled', data: { ...data, amount: { ...authorization.amount, amount } } }];
}

/**
 * Captures what is held for an approved order, and settles what of it uses credit: its saga approves an order after its charge, and orders
 * without a charge use none. So one commit says what `CreditSettled` says in a second one.
 */
function approve(
  state: AccountState,
  { data }: Of<'ApproveOrder'>,
  { settlesApproved = false }: Facts,
): readonly AccountEvent[] {
  const amount = settlesApproved ? computeUsed(state.authorization) : 0;
  return capture(state, { type: 'CaptureAuthorization', data }).map((event) =>
    event.type === 'AuthorizationCaptured' && amount > 0
      ? { ...event, data: { ...event.data, settles: { ...event.data.amount, amount } } }
      : event,
  );
}

/**
 * Returns the part of a released or refunded amount that was settled before. Without it, that part would raise the
 * credit a second time. What was not settled is given back first.
 */
function computeSettledPart(authorization: Extract<Authorization, Owed>, { amount, currency }: Money) {
  const settled = Math.max(0, amount - computeUsed(authorization));
  return settled === 0 ? {} : { settled: { amount: settled, currency } };
}

/**
 * Refunds what came back, once per refund id. A dispatched order was approved, so its amount is captured first if the
 * approval has not been heard of.
 */
function returnOrder(state: AccountState, { data }: Of<'ReturnOrder'>, facts: Facts): readonly AccountEvent[] {
  const { authorization } = state;
  const step = { ...data, stepId: `${data.orderId}/returned` };
  const { customerId, orderId, stepId } = step;
  const approval: readonly AccountEvent[] =
    authorization.status === 'AUTHORIZED'
      ? approve(state, { type: 'ApproveOrder', data: { customerId, orderId, stepId } }, facts)
      : [];
  return [...approval, ...refund(approval.reduce(evolve, state), { type: 'RefundAccount', data: step })];
}

/** Returns how much of the credit an order uses: what is held or captured, without what was refunded or settled. */
export function computeUsed(authorization: Authorization): number {
  switch (authorization.status) {
    case 'AUTHORIZED':
      return authorization.amount.amount - authorization.settled;
    case 'CAPTURED':
      return authorization.amount.amount - sum(Object.values(authorization.refunds)) - authorization.settled;
    case 'NONE':
    case 'VOID':
    case 'DECLINED':
    case 'RELEASED':
      return 0;
  }
}

function refund({ authorization }: AccountState, { data }: Command<'RefundAccount'>): readonly AccountEvent[] {
  if (authorization.status !== 'CAPTURED') return [replyRefused(data, 'NOT_CAPTURED')];
  const { amount: captured, refunds } = authorization;
  if (data.amount.currency !== captured.currency) return [replyRefused(data, 'CURRENCY_MISMATCH')];
  const earlier = Object.hasOwn(refunds, data.refundId) ? refunds[data.refundId] : undefined;
  if (earlier !== undefined) {
    checkSameAmount({ ...captured, amount: earlier }, data.amount);
    return [replyDone(data)];
  }
  const amounts = Object.values(refunds);
  if (data.amount.amount > captured.amount - sum(amounts)) return [replyRefused(data, 'OVER_CAPTURED')];
  if (amounts.length === MAX_REFUNDS) return [replyRefused(data, 'TOO_MANY_REFUNDS')];
  return [{ type: 'AccountRefunded', data: { ...data, ...computeSettledPart(authorization, data.amount) } }];
}

function checkSameAmount(before: Money, now: Money): void {
  if (before.amount !== now.amount || before.currency !== now.currency) throw new AccountRefused('AMOUNT_DIFFERS');
}

const replyDone = ({ customerId, orderId, stepId }: AccountCommand['data']): AccountEvent => ({
  type: 'SagaReplyRequested',
  data: { customerId, orderId, stepId, outcome: 'DONE' },
});

const replyRefused = (
  { customerId, orderId, stepId }: AccountCommand['data'],
  reason: RefusalReason,
): AccountEvent => ({
  type: 'SagaReplyRequested',
  data: { customerId, orderId, stepId, outcome: 'REFUSED', reason },
});

/** Repeats the stored answer, whatever the limits are now. */
const replyDeclined = (
  { customerId, orderId, stepId }: AccountCommand['data'],
  { reason, limit }: Decline,
): AccountEvent => ({
  type: 'SagaReplyRequested',
  data: { customerId, orderId, stepId, outcome: 'REFUSED', reason, ...(limit === undefined ? {} : { limit }) },
});

/** Folds an event of the order into its authorization. It is total, like `evolveAccount`. */
export function evolveAuthorization(authorization: Authorization, event: AccountEvent): Authorization {
  switch (event.type) {
    case 'AccountAuthorized':
      return { status: 'AUTHORIZED', amount: event.data.amount, settled: 0 };
    case 'AuthorizationDeclined':
      return { status: 'DECLINED', ...toDecline(event.data) };
    case 'AuthorizationCaptured':
      return {
        status: 'CAPTURED',
        amount: event.data.amount,
        settled:
          (authorization.status === 'AUTHORIZED' ? authorization.settled : 0) + (event.data.settles?.amount ?? 0),
        refunds: {},
      };
    case 'AuthorizationReleased':
      return { status: 'RELEASED', amount: event.data.amount };
    case 'AuthorizationVoided':
      return { status: 'VOID' };
    case 'AccountRefunded': {
      if (authorization.status !== 'CAPTURED') return authorization;
      const { refundId, amount, settled } = event.data;
      return {
        ...authorization,
        settled: authorization.settled - (settled?.amount ?? 0),
        refunds: { ...authorization.refunds, [refundId]: amount.amount },
      };
    }
    case 'CreditSettled':
      return authorization.status === 'AUTHORIZED' || authorization.status === 'CAPTURED'
        ? { ...authorization, settled: authorization.settled + event.data.amount.amount }
        : authorization;
    case 'AccountOpened':
    case 'AccountClosed':
    case 'AccountReopened':
    case 'CreditLimitSet':
    case 'BonusApplied':
    case 'ExhaustedAccountChanged':
    case 'SagaReplyRequested':
      return authorization;
  }
}

const toDecline = ({ amount, reason, limit }: Decline & { readonly amount: Money }) => ({
  amount,
  reason,
  ...(limit === undefined ? {} : { limit }),
});

/** Folds an event of one order into both states. */
export const evolve = ({ account, authorization }: AccountState, event: AccountEvent): AccountState => ({
  account: evolveAccount(account, event),
  authorization: evolveAuthorization(authorization, event),
});

/** Rules of an account for one order. */
export const authorizationDecider: Decider<AccountState, AccountCommand | PaymentCommand, AccountEvent, Facts> = {
  initialState,
  evolve,
  decide,
  /** Schema version of `Authorization`: the account's own state is stored apart, with a version of its own. */
  stateSchema: 2,
};

const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);
