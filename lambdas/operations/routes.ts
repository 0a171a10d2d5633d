import { withDescription } from '@orderly/kit/routes';
import { AuditLogQuery, AuditParameters, FailureGroupsQuery } from '@orderly/operator/views';
import * as z from 'zod/mini';
import { ORDER_ID } from '../orders/keys.js';
import type { Route } from '../route.js';
import { AuditLogView, AuditView, FailureGroupsView, OperationsStatusView, TraceView } from './contract.js';

export const getOperationsStatus = {
  method: 'GET',
  path: '/operations/status',
  id: 'getOperationsStatus',
  summary: 'Ask whether the system is healthy',
  description:
    'A verdict, and for each problem the next command: what waits, failed or is late at each consumer, the relays, the sweepers, the delivery audit, the alarms that are on, and the orders of the last hour. What `orderly status --json` prints.',
  roles: ['operator'],
  answers: { 200: { description: 'The status', body: OperationsStatusView } },
} as const satisfies Route;

export const getFailureGroups = {
  method: 'GET',
  path: '/operations/failures',
  id: 'getFailureGroups',
  summary: 'List failures by their causes',
  description:
    'All groups of failures and of stuck sagas, the largest first, each with its orders and customers, the command that processes it again once its cause is gone, and the one that closes it. Eventually consistent. What `orderly failures groups --json` prints.',
  roles: ['operator'],
  query: FailureGroupsQuery,
  answers: { 200: { description: 'The groups', body: FailureGroupsView } },
  problems: ['not-found'],
} as const satisfies Route;

export const getDeliveryAudit = {
  method: 'GET',
  path: '/operations/audit',
  id: 'getDeliveryAudit',
  summary: 'Ask whether anything was lost or done twice',
  description:
    'Compares what was committed with what became of it at each consumer: in a time of at most 6 hours, or for one order. One of `since`, `from` and `order` is required. It sends nothing again. `twice` lists the orders with something that was done twice, of the oldest 500 that the commits are about. A longer time, or one with more commits than an answer has time for, is 400: its detail names the command `orderly audit`, which has no limit. What `orderly audit --json` prints.',
  roles: ['operator'],
  query: z.strictObject({
    ...AuditParameters,
    order: z.exactOptional(
      withDescription(
        'Id of an order: the messages of the order, its saga, price check, reservation, payment and checkout only. What an account committed because of it is audited by time only.',
        z.string().check(z.regex(ORDER_ID, 'expected 32 hexadecimal digits')),
      ),
    ),
  }),
  answers: { 200: { description: 'The audit', body: AuditView } },
  problems: ['not-found'],
} as const satisfies Route;

export const getTrace = {
  method: 'GET',
  path: '/operations/trace/{id}',
  id: 'getTrace',
  summary: 'Trace an order, a message or a request',
  description:
    'Everything that followed from an order, an event, a command or a correlation id, as a tree. A correlation id that is no UUIDv7 is searched in the last hour. It shows no data of events. What `orderly trace --json` prints.',
  roles: ['operator'],
  answers: { 200: { description: 'The tree', body: TraceView } },
  problems: ['not-found'],
} as const satisfies Route;

export const getOperatorsLog = {
  method: 'GET',
  path: '/operations/audit-log',
  id: 'getOperatorsLog',
  summary: 'List what operators did',
  description:
    'Who redrove, discarded, retried, resolved, replayed or restored what, when, why, and what came of it; newest first. Strongly consistent. What `orderly audit-log --json` prints.',
  roles: ['operator'],
  query: AuditLogQuery,
  answers: { 200: { description: 'The actions', body: AuditLogView } },
} as const satisfies Route;
