import { clock } from '@orderly/kit/aws';
import type { Effect } from '@orderly/kit/idempotent-consumer';
import { consumer, type Handling, type Message, on } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import { type SagaMessage, SagaRefused } from '@orderly/kit/saga';
import { createOrderOrchestrator as orchestrator } from './create-order-store.js';
import { insteadOf, needsSaga, orderCommandOf, type Refusal } from './domain/create-order.js';
import { decide, OrderRefused } from './domain/order.js';
import { orderStore } from './order-store.js';
import type { CreateOrder } from './saga-contract.js';
import { answers, orderEvents, sagaCommands } from './subscriptions.js';

/**
 * Handles every message to an order's saga: the order's events, the answers to its steps, its timeouts and operators'
 * commands.
 */
export const handler = consumer(
  [
    on(orderEvents, {
      OrderPlaced: ({ event: { data }, trace }) => {
        const { orderId, customerId, lines, total } = data;
        return begun({ orderId, customerId, lines, total }, trace);
      },
      OrderCancelled: ({ event: { data }, trace }) => heard(data.orderId, { type: 'Cancel' }, trace),
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
      RingTimer: ({ event: { data }, trace }) => heard(data.sagaId, { type: 'Ring', number: data.number }, trace),
      RetrySaga: ({ event: { data }, trace }) => heard(data.sagaId, { type: 'Retry' }, trace),
      ResolveSaga: ({ event: { data }, trace }) => {
        const { sagaId, ...resolved } = data;
        return heard(sagaId, { type: 'Resolve', ...resolved }, trace);
      },
    }),
  ],
  { isRefusal: (error) => error instanceof SagaRefused || error instanceof OrderRefused },
);

/** Fields that all answers have in common. If the step is absent, the answer is not for a saga. */
interface Answer {
  readonly data: {
    readonly orderId: string;
    readonly stepId?: string;
    readonly reason?: string;
    readonly skus?: readonly string[];
  } & Refusal;
}

function done({ event: { data }, trace }: Message<Answer>): Handling {
  return heard(data.orderId, { type: 'Reply', stepId: data.stepId ?? '', outcome: 'DONE' }, trace);
}

function refused({ event: { data }, trace }: Message<Answer>): Handling {
  const { orderId, stepId = '', reason, skus } = data;
  const why = { ...(reason === undefined ? {} : { reason }), ...(skus ? { subjects: skus } : {}) };
  return heard(orderId, { type: 'Reply', stepId, outcome: 'REFUSED', ...why }, trace, data);
}

function replied(message: Message<Answer & { readonly data: { readonly outcome: 'DONE' | 'REFUSED' } }>): Handling {
  return message.event.data.outcome === 'DONE' ? done(message) : refused(message);
}

function heard(orderId: string, message: SagaMessage<CreateOrder>, trace: Trace, refusal: Refusal = {}): Handling {
  return { decide: () => effectOf(orderId, message, trace, refusal) };
}

function begun(data: CreateOrder, trace: Trace): Handling {
  return {
    decide: async () => {
      const order = await orderStore.load(data.orderId);
      return needsSaga(order.state)
        ? effectOf(data.orderId, { type: 'Start', data }, trace)
        : [orderStore.unchangedCheck(order)];
    },
  };
}

/**
 * Changes the order and its saga in one transaction. The message that ends the saga also rejects the order, so the
 * details of a refusal pass from that message to the order, and the saga doesn't store them.
 */
async function effectOf(
  orderId: string,
  message: SagaMessage<CreateOrder>,
  trace: Trace,
  refusal: Refusal = {},
): Promise<Effect> {
  const { events, writes } = await orchestrator.advance(orderId, message, trace);
  const command = orderCommandOf(events, refusal);
  if (!command) return writes;
  const order = await orderStore.load(orderId);
  const changes = decide(order.state, command, { now: clock.now() });
  if (changes.length > 0) return [...writes, orderStore.appendWrite(orderStore.commit(order, changes, trace))];
  const instead = insteadOf(command, order.state);
  return instead ? (await orchestrator.advance(orderId, instead, trace)).writes : writes;
}
