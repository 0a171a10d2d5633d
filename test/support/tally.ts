import * as z from 'zod/mini';
import type { Decider, Evolution } from '../../packages/kit/decider/decider.js';
import { type EventOf, earlierShape } from '../../packages/kit/messages/contract.js';

/** A small aggregate for tests of the patterns: it adds up, until it is closed. */
export const tallyContract = {
  service: 'tallies',
  events: {
    Counted: { version: 1, data: z.object({ by: z.int(), pad: z.optional(z.string()) }) },
    Closed: { version: 1, data: z.object({}) },
  },
} as const;
export type TallyEvent = EventOf<typeof tallyContract>;

export interface Tally {
  readonly sum: number;
  readonly events: number;
  readonly closed?: true;
}

export const countedEvent = (by: number, pad?: string): TallyEvent => ({
  type: 'Counted',
  data: { by, ...(pad !== undefined && { pad }) },
});

export const evolution = (stateSchema = 1): Evolution<Tally, TallyEvent> => ({
  initialState: { sum: 0, events: 0 },
  evolve: (tally, event) => {
    const events = tally.events + 1;
    if (event.type === 'Closed') return { ...tally, events, closed: true };
    return { ...tally, events, sum: tally.sum + event.data.by };
  },
  stateSchema,
  isDeleted: ({ closed }) => closed === true,
});

/** A test says itself what is decided: its command is the decision. */
export type TallyCommand = (sum: number) => readonly TallyEvent[];

export const tallyDecider: Decider<Tally, TallyCommand, TallyEvent> = {
  ...evolution(),
  decide: ({ sum }, command) => command(sum),
};

/** The tally of a later release, which also says who counted; @param writes the version that the release writes. */
export const laterContract = (writes: 1 | 2) =>
  ({
    service: 'tallies',
    events: {
      Counted: {
        version: 2,
        data: z.object({ by: z.int(), counter: z.string() }),
        earlier: {
          1: earlierShape(
            tallyContract.events.Counted.data,
            ({ by }) => ({ by, counter: 'somebody' }),
            ({ by }: { by: number }) => ({ by }),
          ),
        },
        writes,
      },
    },
  }) as const;
export type LaterEvent = EventOf<ReturnType<typeof laterContract>>;

/** Its state has another shape: a snapshot of the first release's would be misread. */
export interface LaterTally {
  readonly total: number;
  readonly counters: readonly string[];
}

export const laterEvolution: Evolution<LaterTally, LaterEvent> = {
  initialState: { total: 0, counters: [] },
  evolve: ({ total, counters }, { data }) => ({
    total: total + data.by,
    counters: [...new Set([...counters, data.counter])].toSorted(),
  }),
  stateSchema: 2,
};

export const buildTrace = (trigger: string) => ({
  trigger,
  actor: 'customer:alice',
  correlationId: 'conversation',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
});
