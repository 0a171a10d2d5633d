import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { entranceOf } from '@orderly/kit/lane';
import { reservations } from './aggregates.js';
import { ReservationRefused } from './domain/reservation.js';
import { onCommand } from './on-command.js';
import { stockLane } from './stock-lane.js';

const store = eventStoreOfFunction(reservations);

/** Handles steps of an order's saga. Reservations of hot SKUs are stored for the lane (`on-lane.lambda.ts` decides them). */
export const handler = consumer([onCommand(store)], {
  isRefusal: (error) => error instanceof ReservationRefused,
  lane: entranceOf(stockLane(store)),
});
