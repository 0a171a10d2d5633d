import { commandOn, consumer, on } from '@orderly/kit/idempotent-consumer';
import { opened } from '../contract.js';
import { tickets } from '../store.js';

export const handler = consumer([
  on(opened, {
    TicketOpened: ({ event, trace }) =>
      commandOn(tickets, { id: event.data.ticketId, command: { type: 'Assign', agent: 'ada' }, trace }),
  }),
]);
