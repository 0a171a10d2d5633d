import { Env, feedShards, required } from '@orderly/kit/aws';
import { DynamoDbEventStore } from '@orderly/kit/event-store';
import { inventoryContract, type ReservationEvent } from './contract.js';
import { evolve, initialState, type Reservation } from './domain/reservation.js';
import { RESERVATION } from './keys.js';

/** Event store of the orders' reservations, in the service's own table. */
export const reservationStore = new DynamoDbEventStore<Reservation, ReservationEvent>(
  { table: required(Env.TABLE), aggregate: RESERVATION, contract: inventoryContract, feedShards: feedShards() },
  { initialState, evolve, stateSchema: 2 },
);
