import { decideOn } from '@orderly/kit/event-store';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { type Handling, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import type { SagaMessage } from '@orderly/kit/saga';
import type { Orchestrator } from '@orderly/kit/saga/orchestrator';
import type { OrderStore } from './aggregates.js';
import { countDecision } from './decision-time.js';
import {
  type Answer,
  CHARGE,
  findSubstitute,
  type Refusal,
  sendsCharge,
  toOrderCommand,
  toReplyMessage,
  toReviewMessage,
  toStartMessage,
} from './domain/create-order.js';
import { leaveReviewWrites } from './review-list.js';
import { buildApprovalWrites, checkBeforeCharge, type Reviews } from './reviews.js';
import type { CreateOrder } from './saga-contract.js';
import { orderEvents, sagaCommands, sagaReplies } from './subscriptions.js';

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
  const advanceSaga = (
    orderId: string,
    message: SagaMessage<CreateOrder>,
    trace: Trace,
    refusal: Refusal = {},
  ): Handling => ({
    decide: () => buildEffect(context, orderId, message, trace, refusal),
  });
  const advanceByReply = (answer: Answer, outcome: 'DONE' | 'REFUSED', trace: Trace): Handling =>
    advanceSaga(answer.orderId, toReplyMessage(answer, outcome), trace, answer);
  const onDone = ({ event: { data }, trace }: Message<{ readonly data: Answer }>): Handling =>
    advanceByReply(data, 'DONE', trace);
  const onRefused = ({ event: { data }, trace }: Message<{ readonly data: Answer }>): Handling =>
    advanceByReply(data, 'REFUSED', trace);
  const onReply = ({
    event: { data },
    trace,
  }: Message<{ readonly data: Answer & { readonly outcome: 'DONE' | 'REFUSED' } }>): Handling =>
    advanceByReply(data, data.outcome, trace);
  return [
    on(orderEvents, {
      OrderPlaced: ({ event: { data }, trace }) => {
        const { orderId, customerId, lines, total } = data;
        return startSaga(context, { orderId, customerId, lines, total }, trace);
      },
      OrderCancelled: ({ event: { data }, trace }) => advanceSaga(data.orderId, { type: 'Cancel' }, trace),
      OrderReviewEnded: ({ event: { data }, trace }) => advanceSaga(data.orderId, toReviewMessage(data.outcome), trace),
    }),
    on(sagaReplies.catalog, { PricesConfirmed: onDone, PricesRefused: onRefused, SagaReplyRequested: onReply }),
    on(sagaReplies.accounts, {
      AccountAuthorized: onDone,
      AuthorizationDeclined: onRefused,
      AuthorizationReleased: onDone,
      AuthorizationVoided: onDone,
      SagaReplyRequested: onReply,
    }),
    on(sagaReplies.inventory, {
      StockReserved: onDone,
      StockRejected: onRefused,
      StockReleased: onDone,
      ReservationVoided: onDone,
      SagaReplyRequested: onReply,
    }),
    on(sagaReplies.payments, { SagaReplyRequested: onReply }),
    on(sagaCommands, {
      RingTimer: ({ event: { data }, trace }) =>
        advanceSaga(data.sagaId, { type: 'Timeout', number: data.number }, trace),
      RetrySaga: ({ event: { data }, trace }) => advanceSaga(data.sagaId, { type: 'Retry' }, trace),
      ResolveSaga: ({ event: { data }, trace }) => {
        const { sagaId, ...resolved } = data;
        return advanceSaga(sagaId, { type: 'Resolve', ...resolved }, trace);
      },
    }),
  ];
}

function startSaga(context: SagaContext, data: CreateOrder, trace: Trace): Handling {
  return {
    decide: async () => {
      const order = await context.orderStore.load(data.orderId);
      const start = toStartMessage(order.state, data);
      return start ? buildEffect(context, data.orderId, start, trace) : [context.orderStore.unchangedCheck(order)];
    },
  };
}

/**
 * Changes the order and its saga in one transaction. The message that ends the saga also rejects the order, so the
 * details of a refusal pass from that message to the order, and the saga doesn't store them.
 */
async function buildEffect(
  { orderStore, orchestrator, reviews }: SagaContext,
  orderId: string,
  message: SagaMessage<CreateOrder>,
  trace: Trace,
  refusal: Refusal = {},
): Promise<Effect> {
  const { events, writes } = await orchestrator.advance(orderId, message, trace);
  if (sendsCharge(events) && (message.type === 'Reply' || message.type === 'Release')) {
    const asked = await checkBeforeCharge(reviews, orderId, trace);
    if (asked.next === 'charge') return [...writes, ...asked.writes];
    const instead = asked.next === 'hold' ? { ...message, holdBefore: CHARGE } : ({ type: 'Cancel' } as const);
    return [...(await orchestrator.advance(orderId, instead, trace)).writes, ...asked.writes];
  }
  const command = toOrderCommand(events, refusal);
  if (!command) return writes;
  const { before, events: changes, write } = await decideOn(orderStore, { id: orderId, command, trace });
  if (changes.length === 0) {
    const instead = findSubstitute(command, before.state);
    return instead ? (await orchestrator.advance(orderId, instead, trace)).writes : writes;
  }
  countDecision(before.state);
  if (command.type === 'Approve') return [...writes, ...(await buildApprovalWrites(reviews, before, trace))];
  return [...writes, write, ...leaveReviewWrites(reviews.table, before.state)];
}
