import * as z from 'zod/mini';
import type { EventOf } from '../../lambdas/patterns/contract.js';
import type { Evolution } from '../../lambdas/patterns/event-store/event-store.js';

/** A small aggregate for tests of the patterns: it adds up, and refuses to go below zero. */
export const tallyContract = {
  service: 'tallies',
  events: {
    Counted: { version: 1, data: z.object({ by: z.int(), pad: z.optional(z.string()) }) },
  },
} as const;
export type TallyEvent = EventOf<typeof tallyContract>;

export interface Tally {
  readonly sum: number;
  readonly events: number;
}

export const counted = (by: number, pad?: string): TallyEvent => ({
  type: 'Counted',
  data: { by, ...(pad !== undefined && { pad }) },
});

export const evolution = (stateSchema = 1): Evolution<Tally, TallyEvent> => ({
  initialState: { sum: 0, events: 0 },
  evolve: ({ sum, events }, { data }) => ({ sum: sum + data.by, events: events + 1 }),
  stateSchema,
});

export const traceOf = (trigger: string) => ({
  trigger,
  actor: 'customer:alice',
  correlationId: 'conversation',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
});
