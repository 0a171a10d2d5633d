import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { ticketsContract } from './contract.js';
import { ticketDecider } from './ticket.js';

export const tickets = eventStoreOfFunction({
  aggregate: 'Ticket',
  contract: ticketsContract,
  decider: ticketDecider,
});
