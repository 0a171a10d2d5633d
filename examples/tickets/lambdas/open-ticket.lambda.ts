import { endpoint, keyedBy, traceOf } from '@orderly/kit/http';
import { createOnce, idempotencyKey } from '@orderly/kit/idempotent-receiver';
import { OpenTicket } from '../contract.js';
import { tickets } from '../store.js';

export const handler = endpoint({ roles: ['visitor'], body: OpenTicket }, async (request) => {
  const { loaded } = await createOnce({
    store: tickets,
    key: idempotencyKey(keyedBy(request)),
    trace: traceOf(request),
    command: (ticketId) => ({ type: 'Open', ticketId, title: request.body.title }),
  });
  return { status: 201, body: loaded.state };
});
