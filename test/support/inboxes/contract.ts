import * as z from 'zod/mini';
import { subscribe, subscribeToAll } from '../../../packages/kit/messages/subscriptions.js';

/** Publisher of the messages that the inboxes of the tests store. */
export const shopContract = {
  service: 'shop',
  events: {
    /** For the inbox in mode single: the parcel's name says how its handler behaves. */
    ParcelSent: { version: 1, data: z.object({ name: z.string() }) },
  },
} as const;

/** Publisher whose aggregates have a history: the till. */
export const tillContract = {
  service: 'till',
  events: {
    /** For the inbox in mode sequential: the name of the step says how its handler behaves. */
    StepTaken: { version: 1, data: z.object({ step: z.string() }) },
    /** Ignored by the handler; it takes a place in the sequence all the same. */
    TillCleaned: { version: 1, data: z.object({}) },
  },
} as const;

export const steps = subscribeToAll(tillContract);

export const parcels = subscribe(shopContract, ['ParcelSent']);

/** Consumer of each inbox. */
export const PARCELS = { name: 'parcels', generation: 0 };
export const STEPS = { name: 'steps', generation: 0 };

/** Pages of a parcel whose handler works in pages. */
export const PAGES = 3;
