import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { reservations } from './aggregates.js';
import { onOrderEvent } from './on-order-event.js';

/** Releases the stock of cancelled orders, and takes that of dispatched orders out. */
export const handler = consumer([onOrderEvent(eventStoreFromEnvironment(reservations))]);
