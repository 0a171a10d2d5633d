import {
  CallerId,
  HistoryEntryView,
  HistoryQuery,
  IssuedKey,
  OpenedSession,
  Paging,
  PointInTimeQuery,
  pageSchema,
  SessionView,
  withDescription,
} from '@orderly/kit/routes';
import * as z from 'zod/mini';
import type { Route } from '../route.js';
import { CancelOrder, DispatchOrder, OrderView, PlaceOrder, ReviewOrder } from './contract.js';
import type { OrdersProblem } from './problems.js';

type OrdersRoute = Route<typeof OrdersProblem>;

export const placeOrder = {
  method: 'POST',
  path: '/orders',
  id: 'placeOrder',
  summary: 'Place an order',
  description:
    'The order is PENDING until its saga has asked for price, credit, stock and payment, which takes one to a few seconds. Read it until its status changes. Each SKU may be on one line, all lines have the same currency, a line with a unit price of 0 has at most 10 pieces, and the total is at most 2^53-1. A total that the payment provider can never charge (below 50 cents, above 8 digits, or in a currency that it does not have) is 400, if the deployment says so.',
  roles: ['customer'],
  body: PlaceOrder,
  repeat: 'key',
  autoKey: true,
  answers: {
    201: {
      description: 'The order',
      body: OrderView,
      headers: { Location: '`orders/<orderId>`, relative to the stage.' },
    },
  },
  problems: ['user-blocked', 'person-forgotten', 'limit-reached'],
} as const satisfies OrdersRoute;

export const getOrder = {
  method: 'GET',
  path: '/orders/{orderId}',
  id: 'getOrder',
  summary: 'Read an order',
  description:
    'Strongly consistent. With `at` or `version`, the order as it was. With `Prefer: wait=20`, the answer comes as soon as the order is no longer PENDING, and after 20 seconds at the latest. An order that is PENDING for more than a minute is not waited for.',
  roles: ['customer', 'operator'],
  query: PointInTimeQuery,
  conditional: true,
  waits: true,
  answers: {
    200: {
      description: 'The order',
      body: OrderView,
      headers: { 'Retry-After': 'Seconds after which to read again. Only while the order is PENDING.' },
    },
  },
  problems: ['not-found'],
} as const satisfies OrdersRoute;

export const listOrders = {
  method: 'GET',
  path: '/orders',
  id: 'listOrders',
  summary: "List a customer's orders, or the orders under review",
  description:
    "A customer's orders: newest first; eventually consistent, about a second behind; without addresses. The orders under review: by customer; strongly consistent; without personal data.",
  roles: ['customer', 'operator'],
  query: z.strictObject({
    ...Paging,
    customerId: z.exactOptional(
      withDescription(
        'Customer whose orders to list. Operators name a customer, or ask for `underReview`; customers may name only themselves.',
        CallerId,
      ),
    ),
    underReview: z.exactOptional(
      withDescription(
        'Always `true`, for operators: only orders under review are listed, of the customer or of all customers.',
        z.literal('true', 'expected true: only orders under review are listed'),
      ),
    ),
  }),
  answers: { 200: { description: 'A page of orders', body: pageSchema(OrderView) } },
  problems: ['forbidden'],
} as const satisfies OrdersRoute;

export const orderHistory = {
  method: 'GET',
  path: '/orders/{orderId}/history',
  id: 'listOrderHistory',
  summary: "List an order's events",
  description:
    'Oldest first, strongly consistent. Customers do not see which operator acted, nor the reasons and the note of a review.',
  roles: ['customer', 'operator'],
  query: HistoryQuery,
  answers: { 200: { description: 'A page of events', body: pageSchema(HistoryEntryView) } },
  problems: ['not-found'],
} as const satisfies OrdersRoute;

export const cancelOrder = {
  method: 'POST',
  path: '/orders/{orderId}/cancellation',
  id: 'cancelOrder',
  summary: 'Cancel an order',
  description:
    'What was paid is refunded, and stock and credit are given back. Its owner may cancel an order, and so may an operator. The customer reads the reason. Cancelling a cancelled order changes nothing, and it keeps its reason. No reason is stored for a forgotten customer.',
  roles: ['customer', 'operator'],
  body: CancelOrder,
  repeat: 'key or number',
  answers: { 200: { description: 'The cancelled order', body: OrderView } },
  problems: ['not-found', 'too-late'],
} as const satisfies OrdersRoute;

export const dispatchOrder = {
  method: 'POST',
  path: '/orders/{orderId}/dispatch',
  id: 'dispatchOrder',
  summary: 'Mark an order as dispatched',
  description:
    'From then on it cannot be cancelled, and its pieces are no longer on hand. Dispatching a dispatched order changes nothing. An order under review is refused, and so is the order of a suspect or blocked user that no operator has reviewed: it comes under review.',
  roles: ['operator'],
  body: DispatchOrder,
  repeat: 'key',
  answers: { 200: { description: 'The dispatched order', body: OrderView } },
  problems: ['not-found', 'not-approved'],
} as const satisfies OrdersRoute;

export const reviewOrder = {
  method: 'PUT',
  path: '/orders/{orderId}/review',
  id: 'reviewOrder',
  summary: 'Approve or reject an order under review',
  description:
    'Approving leads back to PENDING, and the order is charged; if it is paid already, it leads back to APPROVED without another charge. Rejecting a paid order cancels it: the payment is refunded, and stock and credit are given back. Repeatable by nature: the same decision again changes nothing. Customers do not see the note.',
  roles: ['operator'],
  body: ReviewOrder,
  answers: {
    200: { description: 'The order: PENDING or REJECTED; if it was paid, APPROVED or CANCELLED', body: OrderView },
  },
  problems: ['not-found', 'not-under-review', 'conflict'],
} as const satisfies OrdersRoute;

export const openSession = {
  method: 'POST',
  path: '/sessions',
  id: 'openOrdersSession',
  summary: 'Open a session for numbered requests to orders',
  description: 'Each call opens a new session.',
  answers: { 201: { description: 'The session', body: OpenedSession } },
} as const satisfies OrdersRoute;

export const getSession = {
  method: 'GET',
  path: '/sessions/{sessionId}',
  id: 'getOrdersSession',
  summary: 'Read when a session at orders was last accessed',
  description:
    'For its client only; strongly consistent. To read it is no access. A session that has ended is shown for 35 days, with `expiresAt` in the past.',
  answers: { 200: { description: 'The session', body: SessionView } },
  problems: ['not-found'],
} as const satisfies OrdersRoute;

export const issueKey = {
  method: 'POST',
  path: '/idempotency-keys',
  id: 'issueIdempotencyKey',
  summary: 'Issue an idempotency key',
  description: 'For requests that have no id of their own. The key is not stored.',
  roles: ['customer', 'operator'],
  answers: { 201: { description: 'The key', body: IssuedKey } },
} as const satisfies OrdersRoute;
