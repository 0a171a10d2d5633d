import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { reservations } from './aggregates.js';

export const reservationStore = eventStoreOfFunction(reservations);
