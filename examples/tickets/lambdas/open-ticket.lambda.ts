import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { endpoint, keyedBy, traceOf } from '@orderly/kit/http';
import { createOnce, idempotencyKey } from '@orderly/kit/idempotent-receiver';
import { OpenTicket } from '../contract.js';
import { tickets } from '../ticket.js';

const store = eventStoreOfFunction(tickets);
export const handler = endpoint({ roles: ['visitor'], body: OpenTicket }, async (request) => {
  const command = (ticketId: string) => ({ open: { ticketId, ...request.body } });
  const once = { key: idempotencyKey(keyedBy(request)), trace: traceOf(request) };
  return { status: 201, body: (await createOnce({ store, ...once, command })).loaded.state };
});
