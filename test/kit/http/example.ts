import type { Trace } from '../../../packages/kit/messages/trace.js';

interface Ticket {
  readonly ticketId: string;
  readonly subject: string;
  readonly version: number;
  readonly isClosed: boolean;
}
declare const ticketsOf: (customer: string, after: string | undefined, limit: number) => Promise<readonly Ticket[]>;
declare const readTicket: (customer: string, ticketId: string) => Promise<Ticket | undefined>;
declare const setSubject: (ticket: Ticket, subject: string, trace: Trace) => Promise<Ticket>;

// The example of the pattern's README, word for word from here on.

import {
  decodeCursor,
  defineProblems,
  encodeCursor,
  endpointFor,
  Paging,
  Problem,
  parseIfMatch,
  parseLimit,
  refuseVersionMismatch,
  toTrace,
} from '@orderly/kit/http';
import * as z from 'zod/mini';

/** `lambdas/endpoint.ts`: the roles of the application, so that a misspelt one does not compile. */
const endpoint = endpointFor<'customer' | 'operator'>();

/** `problems.ts`: what this service refuses besides the kit's own problems. */
const TicketsProblem = defineProblems({ 'ticket-closed': { status: 409, title: 'Ticket closed' } });

const TicketId = z.string().check(z.regex(/^[0-9a-f]{32}$/, 'expected the id of a ticket'));

/** GET /tickets: the caller's own tickets, page by page. */
export const list = endpoint({ query: z.strictObject(Paging) }, async ({ caller, query }) => {
  const name = `tickets of ${caller.id}`;
  const limit = parseLimit(query);
  const found = await ticketsOf(caller.id, decodeCursor(name, query.cursor, TicketId), limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = found.length > limit && last ? { nextCursor: encodeCursor(name, last.ticketId) } : {};
  return { status: 200, body: { items, ...next } };
});

/** PUT /tickets/{ticketId}/subject: repeatable by nature. `If-Match` prevents a lost update. */
export const put = endpoint({ roles: ['customer'], body: z.strictObject({ subject: z.string() }) }, async (request) => {
  const ticket = await readTicket(request.caller.id, request.parameter('ticketId', TicketId));
  if (!ticket) throw new Problem('not-found', 'no ticket has this id');
  if (ticket.isClosed) throw new Problem(TicketsProblem['ticket-closed'], 'the ticket is closed: open another one');
  if (ticket.subject === request.body.subject) return { status: 200, body: ticket };
  refuseVersionMismatch(parseIfMatch(request.header('if-match')), ticket.version);
  return { status: 200, body: await setSubject(ticket, request.body.subject, toTrace(request)) };
});
