import * as z from 'zod/mini';
import { subscribe } from '../../../packages/kit/messages/subscriptions.js';

/** Publisher of the messages that the inboxes of the tests store. */
export const shopContract = {
  service: 'shop',
  events: {
    /** For the inbox in mode single: the parcel's name says how its handler behaves. */
    ParcelSent: { version: 1, data: z.object({ name: z.string() }) },
  },
} as const;

export const parcels = subscribe(shopContract, ['ParcelSent']);

/** Consumer of each inbox. */
export const PARCELS = { name: 'parcels', generation: 0 };

/** Pages of a parcel whose handler works in pages. */
export const PAGES = 3;
