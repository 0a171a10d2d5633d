import { Env, feedShards, required } from '@orderly/kit/aws';
import { DynamoDbEventStore } from '@orderly/kit/event-store';
import { type TicketEvent, ticketsContract } from './contract.js';
import { evolve, initialState, type Ticket } from './ticket.js';

export const tickets = new DynamoDbEventStore<Ticket, TicketEvent>(
  { table: required(Env.TABLE), aggregate: 'Ticket', contract: ticketsContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 1 },
);
