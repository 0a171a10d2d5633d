import { endpoint, keyedBy, traceOf } from '@orderly/kit/http';
import { createOnce, idempotencyKey } from '@orderly/kit/idempotent-receiver';
import { OpenTicket } from '../contract.js';
import { tickets } from '../store.js';
import { initialState, open } from '../ticket.js';

export const handler = endpoint({ roles: ['visitor'], body: OpenTicket }, async (request) => {
  const { loaded } = await createOnce({
    store: tickets,
    initialState,
    key: idempotencyKey(keyedBy(request)),
    trace: traceOf(request),
    decide: (ticketId) => open(ticketId, request.body.title),
  });
  return { status: 201, body: loaded.state };
});
