import type { Decider } from '@orderly/kit/decider';
import type { TicketEvent } from './contract.js';

export type Ticket =
  | { status: 'NONE' }
  | { status: 'OPEN' | 'ASSIGNED'; ticketId: string; title: string; agent?: string };
export type TicketCommand = { type: 'Open'; ticketId: string; title: string } | { type: 'Assign'; agent: string };

export const ticketDecider: Decider<Ticket, TicketCommand, TicketEvent> = {
  initialState: { status: 'NONE' },
  evolve: (ticket, { type, data }) =>
    type === 'TicketOpened' ? { status: 'OPEN', ...data } : ({ ...ticket, ...data, status: 'ASSIGNED' } as Ticket),
  decide: (ticket, command) => {
    if (command.type === 'Open') {
      const { ticketId, title } = command;
      return [{ type: 'TicketOpened', data: { ticketId, title } }];
    }
    // A ticket that is assigned keeps its agent.
    if (ticket.status !== 'OPEN') return [];
    return [{ type: 'TicketAssigned', data: { ticketId: ticket.ticketId, agent: command.agent } }];
  },
  stateSchema: 1,
};
