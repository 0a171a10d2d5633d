import { decideOn } from '@orderly/kit/event-store';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { type Handling, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import type { SagaMessage } from '@orderly/kit/saga';
import type { Orchestrator } from '@orderly/kit/saga/orchestrator';
import type { OrderStore } from './aggregates.js';
import {
  type Answer,
  afterReview,
  CHARGE,
  insteadOf,
  orderCommandOf,
  type Refusal,
  replyOf,
  sendsCharge,
  startOf,
} from './domain/create-order.js';
import { leaveReview } from './review-list.js';
import { approvalWrites, beforeCharge, type Reviews } from './reviews.js';
import type { CreateOrder } from './saga-contract.js';
import { answers, orderEvents, sagaCommands } from './subscriptions.js';

/** Orders and their sagas, which change in one transaction. */
export interface SagaContext {
  readonly orderStore: OrderStore;
  readonly orchestrator: Orchestrator<CreateOrder>;
  /** Asked before an order is charged, and before it is approved. */
  readonly reviews: Reviews;
}

/**
 * Handles every message to an order's saga: the order's events, the answers to its steps, its timeouts and operators'
 * commands.
 */
export function onSagaMessage(context: SagaContext): readonly Source[] {
  const heard = (
    orderId: string,
    message: SagaMessage<CreateOrder>,
    trace: Trace,
    refusal: Refusal = {},
  ): Handling => ({
    decide: () => effectOf(context, orderId, message, trace, refusal),
  });
  const answered = (answer: Answer, outcome: 'DONE' | 'REFUSED', trace: Trace): Handling =>
    heard(answer.orderId, replyOf(answer, outcome), trace, answer);
  const done = ({ event: { data }, trace }: Message<{ readonly data: Answer }>): Handling =>
    answered(data, 'DONE', trace);
  const refused = ({ event: { data }, trace }: Message<{ readonly data: Answer }>): Handling =>
    answered(data, 'REFUSED', trace);
  const replied = ({
    event: { data },
    trace,
  }: Message<{ readonly data: Answer & { readonly outcome: 'DONE' | 'REFUSED' } }>): Handling =>
    answered(data, data.outcome, trace);
  return [
    on(orderEvents, {
      OrderPlaced: ({ event: { data }, trace }) => {
        const { orderId, customerId, lines, total } = data;
        return begun(context, { orderId, customerId, lines, total }, trace);
      },
      OrderCancelled: ({ event: { data }, trace }) => heard(data.orderId, { type: 'Cancel' }, trace),
      OrderReviewEnded: ({ event: { data }, trace }) => heard(data.orderId, afterReview(data.outcome), trace),
    }),
    on(answers.catalog, { PricesConfirmed: done, PricesRefused: refused, SagaReplyRequested: replied }),
    on(answers.accounts, {
      AccountAuthorized: done,
      AuthorizationDeclined: refused,
      AuthorizationReleased: done,
      AuthorizationVoided: done,
      SagaReplyRequested: replied,
    }),
    on(answers.inventory, {
      StockReserved: done,
      StockRejected: refused,
      StockReleased: done,
      ReservationVoided: done,
      SagaReplyRequested: replied,
    }),
    on(answers.payments, { SagaReplyRequested: replied }),
    on(sagaCommands, {
      RingTimer: ({ event: { data }, trace }) => heard(data.sagaId, { type: 'Timeout', number: data.number }, trace),
      RetrySaga: ({ event: { data }, trace }) => heard(data.sagaId, { type: 'Retry' }, trace),
      ResolveSaga: ({ event: { data }, trace }) => {
        const { sagaId, ...resolved } = data;
        return heard(sagaId, { type: 'Resolve', ...resolved }, trace);
      },
    }),
  ];
}

function begun(context: SagaContext, data: CreateOrder, trace: Trace): Handling {
  return {
    decide: async () => {
      const order = await context.orderStore.load(data.orderId);
      const start = startOf(order.state, data);
      return start ? effectOf(context, data.orderId, start, trace) : [context.orderStore.unchangedCheck(order)];
    },
  };
}

/**
 * Changes the order and its saga in one transaction. The message that ends the saga also rejects the order, so the
 * details of a refusal pass from that message to the order, and the saga doesn't store them.
 */
async function effectOf(
  { orderStore, orchestrator, reviews }: SagaContext,
  orderId: string,
  message: SagaMessage<CreateOrder>,
  trace: Trace,
  refusal: Refusal = {},
): Promise<Effect> {
  const { events, writes } = await orchestrator.advance(orderId, message, trace);
  if (sendsCharge(events) && (message.type === 'Reply' || message.type === 'Release')) {
    const asked = await beforeCharge(reviews, orderId, trace);
    if (asked.next === 'charge') return [...writes, ...asked.writes];
    const instead = asked.next === 'hold' ? { ...message, holdBefore: CHARGE } : ({ type: 'Cancel' } as const);
    return [...(await orchestrator.advance(orderId, instead, trace)).writes, ...asked.writes];
  }
  const command = orderCommandOf(events, refusal);
  if (!command) return writes;
  const { before, events: changes, write } = await decideOn(orderStore, { id: orderId, command, trace });
  if (changes.length === 0) {
    const instead = insteadOf(command, before.state);
    return instead ? (await orchestrator.advance(orderId, instead, trace)).writes : writes;
  }
  if (command.type === 'Approve') return [...writes, ...(await approvalWrites(reviews, before, trace))];
  return [...writes, write, ...leaveReview(reviews.table, before.state)];
}
