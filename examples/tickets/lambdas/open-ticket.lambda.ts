import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { endpoint, toKeyedRequest, toTrace } from '@orderly/kit/http';
import { createOnce, parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import { OpenTicket } from '../contract.js';
import { tickets } from '../ticket.js';

const store = eventStoreFromEnvironment(tickets);
export const handler = endpoint({ roles: ['visitor'], body: OpenTicket }, async (request) => {
  const command = (ticketId: string) => ({ open: { ticketId, ...request.body } });
  const once = { key: parseIdempotencyKey(toKeyedRequest(request)), trace: toTrace(request) };
  return { status: 201, body: (await createOnce({ store, ...once, command })).loaded.state };
});
