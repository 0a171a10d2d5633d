import * as z from 'zod/mini';
import type { Windows } from '../../../packages/kit/inbox/windows.js';
import { subscribe, subscribeToAll } from '../../../packages/kit/messages/subscriptions.js';

/** Publisher of the messages that the inboxes of the tests store. */
export const shopContract = {
  service: 'shop',
  events: {
    /** For the inbox in mode single: the parcel's name says how its handler behaves. */
    ParcelSent: { version: 1, data: z.object({ name: z.string() }) },
    /** For the inbox in mode batch. */
    SaleMade: { version: 1, data: z.object({ name: z.string() }) },
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

export const sales = subscribe(shopContract, ['SaleMade']);

const TEN_MINUTES = 600_000;
const windowAt = (instant: number): string =>
  new Date(Math.floor(instant / TEN_MINUTES) * TEN_MINUTES).toISOString().slice(0, 16);

/** Windows of ten minutes, by their beginnings: `2026-01-05T00:10`. */
export const TENS: Windows = {
  idOf: (time) => windowAt(Date.parse(time)),
  endOf: (id) => new Date(Date.parse(`${id}:00Z`) + TEN_MINUTES).toISOString(),
  next: (id) => windowAt(Date.parse(`${id}:00Z`) + TEN_MINUTES),
};

/** Consumer of each inbox. */
export const PARCELS = { name: 'parcels', generation: 0 };
export const SALES = { name: 'sales', generation: 0 };
export const STEPS = { name: 'steps', generation: 0 };

/** Text of the errors that handlers throw: a value that may be personal, and must be nowhere in plain text. */
export const ADDRESS = 'Ada Byron, 12 Main Street';

/** Pages of a parcel whose handler works in pages. */
export const PAGES = 3;
