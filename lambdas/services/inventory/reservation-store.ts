import { DynamoDbEventStore } from '../../patterns/event-store/dynamodb-event-store.js';
import { Env } from '../../platform/environment.js';
import { feedShards, required } from '../../platform/read-environment.js';
import { inventoryContract, type ReservationEvent } from './contract.js';
import { evolve, initialState, type Reservation } from './domain/reservation.js';

/** What is kept for each order, in the service's own table. */
export const reservationStore = new DynamoDbEventStore<Reservation, ReservationEvent>(
  { table: required(Env.TABLE), aggregate: 'Reservation', contract: inventoryContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 2 },
);
