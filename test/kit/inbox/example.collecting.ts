import { inventoryContract, ordersContract, paymentsContract } from './order-events.js';

// The example of the pattern's README, word for word from here on.

import type { Decider } from '@orderly/kit/decider';
import { type EventOf, subscribe } from '@orderly/kit/messages';
import * as z from 'zod/mini';

/** Events of one order, all of which the work needs. */
const PARTS = ['OrderPlaced', 'PaymentCharged', 'StockReserved'] as const;
const Part = z.enum(PARTS);
export type Part = z.infer<typeof Part>;
/** Data of the events that have arrived. */
const Parts = z.partialRecord(Part, z.unknown());
const Of = z.object({ orderId: z.string() });

export const packingContract = {
  service: 'packing',
  events: {
    PackingAwaited: { version: 1, data: Of },
    PartArrived: { version: 1, data: z.object({ orderId: z.string(), part: Part, content: z.unknown() }) },
    PackingBegan: { version: 1, data: z.object({ orderId: z.string(), parts: Parts, missing: z.array(Part) }) },
  },
  commands: { StopWaiting: { version: 1, data: Of } },
} as const;
export type PackingEvent = EventOf<typeof packingContract>;

export interface Packing {
  readonly parts: z.infer<typeof Parts>;
  readonly hasBegun: boolean;
}
export type PackingCommand =
  | { readonly type: 'Take'; readonly orderId: string; readonly part: Part; readonly content: unknown }
  | { readonly type: 'StopWaiting'; readonly orderId: string };

/** Collects the parts in any order, and begins once: when all are there, or when the waiting ends, with what is there. */
export const packingDecider: Decider<Packing, PackingCommand, PackingEvent> = {
  initialState: { parts: {}, hasBegun: false },
  evolve: (packing, { type, data }) => {
    if (type === 'PartArrived') return { ...packing, parts: { ...packing.parts, [data.part]: data.content } };
    return type === 'PackingBegan' ? { ...packing, hasBegun: true } : packing;
  },
  decide: ({ parts, hasBegun }, command) => {
    const { orderId } = command;
    const begins = (known: Packing['parts']): PackingEvent => {
      const missing = PARTS.filter((part) => !(part in known));
      return { type: 'PackingBegan', data: { orderId, parts: known, missing } };
    };
    // Also for a part that comes too late. A decider that must act on it returns an event of its own here.
    if (hasBegun) return [];
    if (command.type === 'StopWaiting') return [begins(parts)];
    const { part, content } = command;
    if (part in parts) return [];
    const known = { ...parts, [part]: content };
    const isFirst = Object.keys(parts).length === 0;
    return [
      ...(isFirst ? [{ type: 'PackingAwaited', data: { orderId } } as const] : []),
      { type: 'PartArrived', data: { orderId, part, content } },
      ...(PARTS.every((name) => name in known) ? [begins(known)] : []),
    ];
  },
  stateSchema: 1,
};

export const placed = subscribe(ordersContract, ['OrderPlaced']);
export const charged = subscribe(paymentsContract, ['PaymentCharged']);
export const reserved = subscribe(inventoryContract, ['StockReserved']);
/** Event with which the work begins. The inbox subscribes to it. */
export const packingBegan = subscribe(packingContract, ['PackingBegan']);

/** The aggregate without its store. */
export const packings = { aggregate: 'Packing', contract: packingContract, decider: packingDecider };
