import { type EventOf, subscribe } from '@orderly/kit/messages';
import * as z from 'zod/mini';

/** Body of `POST /tickets`. */
export const OpenTicket = z.strictObject({ title: z.string().check(z.minLength(1), z.maxLength(200)) });

const ticketId = z.string();
export const ticketsContract = {
  service: 'desk',
  events: {
    TicketOpened: { version: 1, data: z.object({ ticketId, title: z.string() }) },
    TicketAssigned: { version: 1, data: z.object({ ticketId, agent: z.string() }) },
  },
} as const;
export type TicketEvent = EventOf<typeof ticketsContract>;

export const opened = subscribe(ticketsContract, ['TicketOpened']);
