import { OpenedSession, SessionView } from '@orderly/kit/routes';
import type { Route } from '../route.js';
import { PaymentView, RefundPayment, RequestPayment } from './contract.js';
import type { PaymentsProblem } from './problems.js';

type PaymentsRoute = Route<typeof PaymentsProblem>;

const LOCATION = { Location: '`payments/<paymentId>`, relative to the stage.' };

export const requestPayment = {
  method: 'POST',
  path: '/payments',
  id: 'requestPayment',
  summary: 'Request a payment',
  description: "It is PENDING until the provider has answered. `accountId` is the customer's own id.",
  roles: ['customer'],
  body: RequestPayment,
  repeat: 'key or number',
  autoKey: true,
  answers: { 201: { description: 'The payment, PENDING', body: PaymentView, headers: LOCATION } },
  problems: ['not-found', 'person-forgotten', 'account-closed', 'limit-reached'],
} as const satisfies PaymentsRoute;

export const getPayment = {
  method: 'GET',
  path: '/payments/{paymentId}',
  id: 'getPayment',
  summary: 'Read a payment',
  description: 'Strongly consistent. The payment of an order has the id of the order.',
  roles: ['customer', 'operator'],
  answers: { 200: { description: 'The payment', body: PaymentView } },
  problems: ['not-found'],
} as const satisfies PaymentsRoute;

export const refundPayment = {
  method: 'POST',
  path: '/payments/{paymentId}/refund',
  id: 'refundPayment',
  summary: 'Refund a payment, whole or in part',
  description:
    'Without an amount, everything that is left. A payment that pays no order is refunded by its customer or an operator. A cancelled order is refunded by itself. Operators refund the payment of a dispatched order, for goods that came back.',
  roles: ['customer', 'operator'],
  body: RefundPayment,
  repeat: 'key or number',
  autoKey: true,
  answers: { 201: { description: 'The payment, with its refund PENDING', body: PaymentView, headers: LOCATION } },
  problems: ['not-found', 'not-refundable', 'limit-reached'],
} as const satisfies PaymentsRoute;

export const openSession = {
  method: 'POST',
  path: '/payments/sessions',
  id: 'openPaymentsSession',
  summary: 'Open a session for numbered requests to payments',
  description: 'Each call opens a new session.',
  answers: { 201: { description: 'The session', body: OpenedSession } },
} as const satisfies PaymentsRoute;

export const getSession = {
  method: 'GET',
  path: '/payments/sessions/{sessionId}',
  id: 'getPaymentsSession',
  summary: 'Read when a session at payments was last accessed',
  description:
    'For its client only; strongly consistent. To read it is no access. A session that has ended is shown for 35 days, with `expiresAt` in the past.',
  answers: { 200: { description: 'The session', body: SessionView } },
  problems: ['not-found'],
} as const satisfies PaymentsRoute;
