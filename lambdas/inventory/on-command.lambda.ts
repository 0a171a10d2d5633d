import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { reservations } from './aggregates.js';
import { ReservationRefused } from './domain/reservation.js';
import { onCommand } from './on-command.js';

/** Handles steps of an order's saga. */
export const handler = consumer([onCommand(eventStoreOfFunction(reservations))], {
  isRefusal: (error) => error instanceof ReservationRefused,
});
