import type { DeciderStore } from '../../../packages/kit/event-store/decide-on.js';
import type { EventOf } from '../../../packages/kit/messages/contract.js';

interface Ticket {
  readonly text?: Sealed;
}
type TicketCommand = {
  readonly type: 'Open';
  readonly ticketId: string;
  readonly customerId: string;
  readonly text?: Sealed;
};
declare const tickets: DeciderStore<Ticket, TicketCommand, EventOf<typeof ticketsContract>>;

// The example of the pattern's README, word for word from here on.

import { endpoint, toTrace } from '@orderly/kit/http';
import { createOnce, PersonalRequest, parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import { aggregateKey, Sealed } from '@orderly/kit/messages';
import { openFields, personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import * as z from 'zod/mini';

/** `contract.ts`: the text is personal, and belongs to the customer. */
export const ticketsContract = {
  service: 'tickets',
  events: {
    TicketOpened: {
      version: 1,
      data: z.object({ ticketId: z.string(), customerId: z.string(), text: z.exactOptional(Sealed) }),
      personal: { text: 'customerId' },
    },
  },
} as const;

const people = personalKeysFromEnvironment();
const personal = new PersonalRequest(people, ticketsContract.events.TicketOpened);

/** POST /tickets */
export const open = endpoint({ roles: ['customer'], body: z.strictObject({ text: z.string() }) }, async (request) => {
  const { caller } = request;
  const { loaded, shown } = await personal.once(request, caller.id, {
    key: parseIdempotencyKey,
    reads: async () => undefined,
    make: ({ key, fields, refuseForgotten }) =>
      createOnce({
        store: tickets,
        key,
        trace: toTrace(request),
        refuseNew: refuseForgotten,
        command: (ticketId) => ({ type: 'Open', ticketId, customerId: caller.id, ...fields }),
      }),
    show: async (keys, { loaded: { id, state } }) => {
      const sealed = state.text === undefined ? {} : { text: state.text };
      const [fields = {}] = await openFields(keys, ticketsContract, caller.id, [
        { aggregate: aggregateKey('Ticket', id), sealed },
      ]);
      return fields;
    },
  });
  return { status: 201, body: { ticketId: loaded.id, ...shown } };
});
