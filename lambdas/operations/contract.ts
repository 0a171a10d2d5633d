import { withDescription } from '@orderly/kit/routes';
import { StatusView } from '@orderly/operator/views';
import * as z from 'zod/mini';
import { MoneyView, OrderView } from '../orders/contract.js';

/** Orders of the last hour, in the status. */
export const OrdersOfHourView = z.object({
  placed: withDescription('Orders that were placed in the last hour; at least so many if there are `more`.', z.int()),
  more: withDescription(
    'Whether the hour had more orders than were counted. Those that were counted are the newest.',
    z.boolean(),
  ),
  read: withDescription('Orders whose ends were read: all, or the newest. The fields below count these.', z.int()),
  approved: z.int(),
  rejected: z.int(),
  cancelled: z.int(),
  open: withDescription('Pending, or under review.', z.int()),
  approvedAfter: z.exactOptional(
    withDescription(
      'Seconds from placing to approving an order; absent if none was approved.',
      z.object({ p50: z.number(), p95: z.number() }),
    ),
  ),
});

/** Status of the environment, with what Orderly adds. */
export const OperationsStatusView = z.extend(StatusView, { orders: OrdersOfHourView });

const state = withDescription(
  'State of the message at this consumer; `lost` if it has no record, and is too old to be in a queue.',
  z.enum([
    'processed',
    'collected',
    'pending',
    'failed',
    'lost',
    'discarded',
    'repeated',
    'expired',
    'unsent',
    'unjudged',
  ]),
);

/** One time that a consumer got a message. */
export const TracedAttempt = z.object({
  outcome: withDescription(
    '`crashed` if the queue gave the message, and no log line says what became of it.',
    z.enum(['applied', 'duplicate', 'refused', 'postponed', 'crashed']),
  ),
  at: z.exactOptional(z.iso.datetime()),
  messageId: z.exactOptional(withDescription("The queue's id of the message.", z.string())),
  receiveCount: z.exactOptional(withDescription('How often the queue had given it, this time included.', z.int())),
  isStored: z.exactOptional(
    withDescription(
      'Whether its inbox has stored it, and processes it later; its outcome is `postponed` until then.',
      z.literal(true),
    ),
  ),
  cause: z.exactOptional(withDescription("Why it came again, or was not applied; no people's data.", z.string())),
});

const delivery = {
  consumer: z.string(),
  service: z.string(),
  messageId: z.string(),
  state,
  at: z.exactOptional(z.iso.datetime()),
  attempts: z.exactOptional(z.int()),
  isStored: z.exactOptional(
    withDescription('Whether its consumer has stored it; only of one that is pending.', z.literal(true)),
  ),
  reason: z.exactOptional(withDescription("Reason of a failure: names and codes, no people's data.", z.string())),
  expiresAt: z.exactOptional(
    withDescription(
      'Time at which its record expires. A repetition that comes later is refused by its age.',
      z.iso.datetime(),
    ),
  ),
  tries: z.exactOptional(
    withDescription('Each time that the consumer got it, as far as the logs tell it.', z.array(TracedAttempt)),
  ),
};

/** A message at one consumer that subscribes to it. */
export const TracedDelivery = z.object(delivery);

/** The same, with the messages that its consumer committed. */
export const TracedHop = z.object({
  ...delivery,
  get followed(): z.ZodMiniArray<typeof TracedMessage> {
    return z.array(TracedMessage);
  },
});

/** An event or a command, and what followed from it. */
export const TracedMessage = z.object({
  service: z.string(),
  subject: withDescription('Its aggregate, such as `Order/<id>`.', z.string()),
  id: z.string(),
  type: z.string(),
  version: z.int(),
  at: z.iso.datetime(),
  trigger: withDescription('Id of the message or request that caused it.', z.string()),
  correlationId: z.string(),
  details: z.exactOptional(withDescription('Step and its result; only for an event of a saga.', z.string())),
  to: z.exactOptional(withDescription('Service that handles it; only for a command.', z.string())),
  deliveries: z.array(TracedDelivery),
  publication: z.exactOptional(
    withDescription(
      'Whether it is published; only while a consumer has nothing of it.',
      z.object({
        state: withDescription(
          "`published`: it has reached a consumer, or the relay has read past it. `waiting`: the relay is behind. `unknown`: the relay's metric does not tell it, or not yet.",
          z.enum(['published', 'waiting', 'unknown']),
        ),
        text: z.string(),
      }),
    ),
  ),
  get hops(): z.ZodMiniArray<typeof TracedHop> {
    return z.array(TracedHop);
  },
  get others(): z.ZodMiniArray<typeof TracedMessage> {
    return z.array(TracedMessage);
  },
});

/** A saga of a traced order: where it stands. */
export const TracedSaga = z.object({
  service: z.string(),
  saga: z.string(),
  id: z.string(),
  status: z.string(),
  step: z.exactOptional(withDescription('Step that it waits for.', z.string())),
  attempt: z.exactOptional(z.int()),
  since: z.exactOptional(z.iso.datetime()),
  sentAt: z.exactOptional(z.iso.datetime()),
  again: z.exactOptional(withDescription('Time of the next attempt, or at which it is given up.', z.iso.datetime())),
  backlog: z.exactOptional(z.int()),
  toUndo: z.exactOptional(withDescription('Steps to compensate if it fails, the newest last.', z.array(z.string()))),
  held: z.exactOptional(z.string()),
  heldSince: z.exactOptional(z.iso.datetime()),
  ending: z.exactOptional(
    z.object({
      cause: z.string(),
      step: z.exactOptional(z.string()),
      reason: z.exactOptional(z.string()),
      subjects: z.exactOptional(z.array(z.string())),
    }),
  ),
  stuckSince: z.exactOptional(z.iso.datetime()),
  reason: z.exactOptional(z.string()),
});

/** Id of an order, an event, a command or a request. A correlation id of a client has the widest form. */
export const TraceId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_.-]{1,64}$/, 'expected 1 to 64 letters, digits, _, . or -'));

/** Everything that followed from an order, an event, a command or a request. */
export const TraceView = z.object({
  id: z.string(),
  verdict: z.object({
    state: z.enum(['complete', 'pending', 'failed']),
    text: z.string(),
    next: z.exactOptional(withDescription('Command to run next.', z.string())),
  }),
  title: z.exactOptional(withDescription('Its order with the status, or the id that was asked for.', z.string())),
  events: withDescription('Number of messages.', z.int()),
  doneTwice: z.exactOptional(withDescription('Number of effects that were found twice.', z.int())),
  sagas: z.exactOptional(withDescription('Sagas of its orders.', z.array(TracedSaga))),
  roots: withDescription('Messages whose causes are not among them.', z.array(TracedMessage)),
  attempts: z.exactOptional(
    withDescription(
      'Number of all attempts by their outcome, as the logs tell it.',
      z.object({
        delivered: withDescription('Sum of the others.', z.int()),
        applied: z.int(),
        stored: withDescription('An inbox has stored it, and processes it later.', z.int()),
        duplicate: z.int(),
        refused: z.int(),
        postponed: z.int(),
        crashed: z.int(),
        unread: z.exactOptional(withDescription('Why the logs could not be read.', z.string())),
        isPartial: z.exactOptional(
          withDescription('Whether the logs have more lines than one answer has.', z.literal(true)),
        ),
      }),
    ),
  ),
});

const listedOrder = z.object({
  orderId: z.string(),
  customerId: z.string(),
  status: OrderView.shape.status,
  reason: z.exactOptional(withDescription('Reason of a rejection, in capitals.', z.string())),
  step: z.exactOptional(
    withDescription(
      'Step of its saga at which it stands, or was refused; of pending and rejected orders, and of those under review.',
      z.string(),
    ),
  ),
  placedAt: z.iso.datetime(),
  decidedAt: z.exactOptional(
    withDescription('Time at which it was first approved, rejected or cancelled.', z.iso.datetime()),
  ),
  seconds: z.exactOptional(withDescription('Seconds from placing it to that decision.', z.number())),
  total: MoneyView,
  skus: z.array(z.string()),
  correlationId: z.exactOptional(withDescription('Correlation id of the request that placed it.', z.string())),
});

/** Answer of `orders`. */
export const OrdersPageView = z.object({
  from: withDescription('Time from which the orders were placed.', z.iso.datetime()),
  to: withDescription('Time before which they were placed.', z.iso.datetime()),
  orders: withDescription('Newest first.', z.array(listedOrder)),
  counts: z.exactOptional(
    withDescription(
      'All orders of the time that match, not of this page only. Absent with `cursor`.',
      z.object({
        orders: z.int(),
        statuses: z.array(z.object({ status: OrderView.shape.status, orders: z.int() })),
        reasons: z.array(z.object({ reason: z.string(), orders: z.int() })),
      }),
    ),
  ),
  looked: withDescription('Orders that were compared with the query, the newest first.', z.int()),
  reached: z.exactOptional(
    withDescription(
      'Time down to which they were, if an answer has no room for all: the counts end there.',
      z.iso.datetime(),
    ),
  ),
  nextCursor: z.exactOptional(withDescription('`cursor` of the next page, with the same query.', z.string())),
  next: z.exactOptional(withDescription('Command that shows the next page.', z.string())),
  list: z.object({
    state: withDescription(
      'Whether the list has all orders. `filled`: a rebuild of this release has made it. `compared`: none has, but every order that was placed in this time was found. `incomplete`: some were not. `unknown`: they were not compared, since it is a later page, or the time is too long.',
      z.enum(['filled', 'compared', 'incomplete', 'unknown']),
    ),
    missing: z.exactOptional(
      withDescription('Orders that were placed in this time, and are not in the list.', z.int()),
    ),
    text: z.exactOptional(z.string()),
    next: z.exactOptional(withDescription('Command that fills the list.', z.string())),
  }),
});

export { AuditLogView, AuditView, FailureGroupsView } from '@orderly/operator/views';
