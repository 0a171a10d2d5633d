import type { Decider } from '@orderly/kit/decider';
import { type TicketEvent, ticketsContract } from './contract.js';

export type Ticket = { ticketId?: string; title?: string; agent?: string };
export type TicketCommand = { open: { ticketId: string; title: string } } | { assignTo: string };

const decider: Decider<Ticket, TicketCommand, TicketEvent> = {
  initialState: {},
  evolve: (ticket, { data }) => ({ ...ticket, ...data }),
  decide: ({ ticketId, agent }, command) => {
    if ('open' in command) return [{ type: 'TicketOpened', data: command.open }];
    // A ticket that is assigned keeps its agent.
    return ticketId && !agent ? [{ type: 'TicketAssigned', data: { ticketId, agent: command.assignTo } }] : [];
  },
  stateSchema: 1,
};
export const tickets = { aggregate: 'Ticket', contract: ticketsContract, decider };
