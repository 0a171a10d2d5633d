import * as z from 'zod/mini';
import { commandsTo } from '../../../packages/kit/messages/subscriptions.js';

/** Somebody who waits until a moment, unless told to stop: the smallest owner of timers. */
export const waiterContract = {
  service: 'waiter',
  events: {},
  commands: {
    Begin: { version: 1, data: z.object({ name: z.string(), until: z.iso.datetime() }) },
    Stop: { version: 1, data: z.object({ name: z.string() }) },
    /** To itself. */
    WaitIsOver: { version: 1, data: z.object({ name: z.string(), pad: z.optional(z.string()) }) },
  },
} as const;

/** Subscriptions of its consumer. */
export const waiterCommands = commandsTo(waiterContract, { from: [{ service: 'test', events: {} }] });

/** Its consumer. */
export const WAITER = { name: 'waiter', generation: 0 };

export const waitId = (name: string): string => `${name}/wait/1`;
