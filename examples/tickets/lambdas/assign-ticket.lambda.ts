import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer, handleCommand, on } from '@orderly/kit/idempotent-consumer';
import { opened } from '../contract.js';
import { tickets } from '../ticket.js';

const store = eventStoreFromEnvironment(tickets);
const command = { assignTo: 'ada' };
export const handler = consumer([
  on(opened, { TicketOpened: ({ event, trace }) => handleCommand(store, { id: event.data.ticketId, command, trace }) }),
]);
