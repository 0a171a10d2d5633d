import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { opened } from '../contract.js';
import { tickets } from '../store.js';
import { assign } from '../ticket.js';

export const handler = consumer([
  on(opened, {
    TicketOpened: ({ event, trace }) => ({
      decide: async () => {
        const ticket = await tickets.load(event.data.ticketId);
        return [tickets.effect(ticket, assign(ticket.state, 'ada'), trace)];
      },
    }),
  }),
]);
