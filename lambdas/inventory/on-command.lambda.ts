import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { createLaneEntrance } from '@orderly/kit/lane';
import { reservations } from './aggregates.js';
import { ReservationRefused } from './domain/reservation.js';
import { onCommand } from './on-command.js';
import { stockLane } from './stock-lane.js';

const store = eventStoreFromEnvironment(reservations);

/** Handles steps of an order's saga. Reservations of hot SKUs are stored for the lane (`on-lane.lambda.ts` decides them). */
export const handler = consumer([onCommand(store)], {
  isRefusal: (error) => error instanceof ReservationRefused,
  lane: createLaneEntrance(stockLane(store)),
});
