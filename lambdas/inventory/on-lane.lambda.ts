import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { laneWriter } from '@orderly/kit/lane';
import { reservations } from './aggregates.js';
import { stockLane } from './stock-lane.js';

/** Decides reservations of hot SKUs, up to 30 of one SKU in one transaction. */
export const handler = laneWriter(stockLane(eventStoreFromEnvironment(reservations)));
