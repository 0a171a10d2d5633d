import type { TicketEvent } from './contract.js';

export type Ticket =
  | { status: 'NONE' }
  | { status: 'OPEN' | 'ASSIGNED'; ticketId: string; title: string; agent?: string };
export const initialState: Ticket = { status: 'NONE' };

export function evolve(ticket: Ticket, { type, data }: TicketEvent): Ticket {
  return type === 'TicketOpened' ? { status: 'OPEN', ...data } : ({ ...ticket, ...data, status: 'ASSIGNED' } as Ticket);
}

export const open = (ticketId: string, title: string): readonly TicketEvent[] => [
  { type: 'TicketOpened', data: { ticketId, title } },
];

/** Assigns an open ticket; one that is assigned keeps its agent. */
export const assign = (ticket: Ticket, agent: string): readonly TicketEvent[] =>
  ticket.status === 'OPEN' ? [{ type: 'TicketAssigned', data: { ticketId: ticket.ticketId, agent } }] : [];
