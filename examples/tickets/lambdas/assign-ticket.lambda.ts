import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { commandOn, consumer, on } from '@orderly/kit/idempotent-consumer';
import { opened } from '../contract.js';
import { tickets } from '../ticket.js';

const store = eventStoreOfFunction(tickets);
const command = { assignTo: 'ada' };
export const handler = consumer([
  on(opened, { TicketOpened: ({ event, trace }) => commandOn(store, { id: event.data.ticketId, command, trace }) }),
]);
