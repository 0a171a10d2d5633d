import type { DeciderStore } from '../../../packages/kit/event-store/decide-on.js';

interface Ticket {
  readonly subject?: string;
  readonly closed: boolean;
}
type TicketEvent =
  | { readonly type: 'TicketOpened'; readonly data: { readonly ticketId: string; readonly subject: string } }
  | { readonly type: 'TicketClosed'; readonly data: { readonly ticketId: string } };
type TicketCommand =
  | { readonly type: 'Open'; readonly ticketId: string; readonly subject: string }
  | { readonly type: 'Close' };
declare const tickets: DeciderStore<Ticket, TicketCommand, TicketEvent>;

// The example of the pattern's README, word for word from here on.

import { endpoint, Problem, toKeyedRequest, toTrace } from '@orderly/kit/http';
import {
  changeOnce,
  createKeyRecord,
  createOnce,
  keyRecordsFromEnvironment,
  parseIdempotencyKey,
} from '@orderly/kit/idempotent-receiver';
import * as z from 'zod/mini';

/** POST /tickets: once per key, for ever. The ticket's id follows from the key. */
export const open = endpoint(
  { roles: ['customer'], body: z.strictObject({ subject: z.string() }) },
  async (request) => {
    const { loaded, replayed } = await createOnce({
      store: tickets,
      key: parseIdempotencyKey(toKeyedRequest(request)),
      trace: toTrace(request),
      command: (ticketId) => ({ type: 'Open', ticketId, ...request.body }),
    });
    return { status: 201, body: { ticketId: loaded.id, ...loaded.state }, headers: replayHeader(replayed) };
  },
);

const records = keyRecordsFromEnvironment();

/** POST /tickets/{ticketId}/closing: once per key. */
export const close = endpoint({ roles: ['customer'], body: z.strictObject({}) }, async (request) => {
  const { loaded, replayed } = await changeOnce({
    store: tickets,
    id: request.parameter('ticketId'),
    record: createKeyRecord(parseIdempotencyKey(toKeyedRequest(request)), records),
    trace: toTrace(request),
    admit: ({ version }) => {
      if (version === 0) throw new Problem('not-found', 'there is no ticket of this id');
    },
    command: () => ({ type: 'Close' }),
  });
  return { status: 200, body: { ticketId: loaded.id, ...loaded.state }, headers: replayHeader(replayed) };
});

const replayHeader = (replayed: boolean): Record<string, string> =>
  replayed ? { 'Idempotency-Replayed': 'true' } : {};
