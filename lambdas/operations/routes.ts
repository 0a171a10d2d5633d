import { withDescription } from '@orderly/kit/routes';
import { AuditLogQuery, AuditParameters, FailureGroupsQuery } from '@orderly/operator/views';
import * as z from 'zod/mini';
import { ORDER_ID } from '../orders/keys.js';
import type { Route } from '../route.js';
import {
  AuditLogView,
  AuditView,
  FailureGroupsView,
  OperationsStatusView,
  OrdersPageView,
  TraceView,
} from './contract.js';
import { MAX_LIMIT, REASONS, STATUSES, toWord } from './orders-request.js';

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
    'All failures and stuck sagas twice: by the consumer that has them (`groups`), and by their cause across all consumers (`causes`), with publisher, type, a trend of 24 hours, and what operators have noted. Each has its orders and customers, the command that processes it again once its cause is gone, and the one that closes it. Eventually consistent. What `orderly failures causes --json` and `orderly failures groups --json` print.',
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
    'Compares what was committed with what became of it at each consumer: in a time of at most 24 hours, or for one order. One of `since`, `from` and `order` is required. It sends nothing again. `twice` lists the orders with something that was done twice, of the oldest 500 that the commits are about. A longer time, or one with more commits than an answer has time for, is 400: its detail names the command `orderly audit`, which has no limit. What `orderly audit --json` prints.',
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

const text = (description: string) => z.exactOptional(withDescription(description, z.string()));
const listWords = (constants: readonly string[]): string => constants.map((one) => `\`${toWord(one)}\``).join(', ');
/** Parameters; `parseOrdersQuery` checks their forms, as those of the command's options. */
const ordersParameters = {
  since: text(
    'The last `30m`, `1h`, `7d`. Excludes `from`. By default `1h`; `24h` with `customer`, `sku` or `search`.',
  ),
  from: text('Time from which they were placed: ISO 8601, or a time of day in UTC (`12:00`), the latest one.'),
  to: text(
    'Time before which they were placed; with `from` only. By default now. A time of day is the first one after `from`.',
  ),
  status: text(`One or more with commas: ${listWords(STATUSES)}.`),
  reason: text(`Reasons of rejections, one or more with commas: ${listWords(REASONS)}.`),
  customer: text('Id of a customer.'),
  sku: text('SKU of a line.'),
  search: text(
    'Beginning of an order id, a customer id, a SKU or a correlation id. A whole order id is found whenever it was placed.',
  ),
  key: text('Idempotency key of the request that placed it; with `customer`. It is found whenever it was placed.'),
  synthetic: z.exactOptional(
    withDescription('Always `true`: synthetic orders, too.', z.literal('true', 'expected true, or no synthetic')),
  ),
  limit: z.exactOptional(
    withDescription(
      `Orders of a page: 1 to ${MAX_LIMIT}. By default 20.`,
      z.string().check(z.regex(/^([1-9]\d?|100)$/, 'expected 1 to 100')),
    ),
  ),
  cursor: text('`nextCursor` of the page before.'),
};
const unknownParameter = `unknown parameter: expected ${Object.keys(ordersParameters).join(', ')}`;

export const getOrders = {
  method: 'GET',
  path: '/operations/orders',
  id: 'getOperatorsOrders',
  summary: 'Find orders by status, reason, time, customer, SKU or id',
  description:
    "The orders of a time, newest first, with how many have which status and reason. Eventually consistent, about a second behind. It shows no personal data but customers' ids. `list` says whether it has the orders of earlier releases, too. What `orderly orders --json` prints.",
  roles: ['operator'],
  query: z.catchall(
    z.object(ordersParameters),
    z.custom<never>(() => false, unknownParameter),
  ),
  answers: { 200: { description: 'A page of orders', body: OrdersPageView } },
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
