import * as z from 'zod/mini';
import type { EventOf, EventSchema } from '../messages/contract.js';

const At = z.iso.datetime();
const StepName = z.string().check(z.regex(/^[a-z][a-z-]{0,62}$/));
const Attempt = z.int().check(z.gte(1));

/** Reason why a saga does not complete. */
export const Ending = z.object({
  cause: z.enum(['REFUSED', 'UNANSWERED', 'CANCELLED']),
  /** Step that was refused or was never answered. */
  step: z.exactOptional(StepName),
  /** Reason that the participant gave, as its contract names it. */
  reason: z.exactOptional(z.string()),
  /** Things that the reason is about, for example SKUs. */
  subjects: z.exactOptional(z.array(z.string())),
});
export type Ending = z.infer<typeof Ending>;

/**
 * Creates the event schemas of a saga whose data has this shape.
 *
 * Each event names its step. So a running saga continues from what it recorded, even if a later release has other
 * steps. The events stay inside of the saga's service (`onBus: false`): what others should hear of, the saga decides as an event
 * of another aggregate.
 */
export const sagaEvents = <Data>(data: z.ZodMiniType<Data>) =>
  ({
    /** The saga begins. */
    SagaStarted: { version: 1, onBus: false, data: z.object({ at: At, data }) },
    /**
     * The commit sends the step's command, for the first time or again. `again` is the time of the next attempt, or of
     * the step's timeout.
     */
    StepSent: { version: 1, onBus: false, data: z.object({ step: StepName, attempt: Attempt, at: At, again: At }) },
    /** The saga pauses before this step, until it is released. Nothing was sent for it. */
    StepHeld: { version: 1, onBus: false, data: z.object({ step: StepName, at: At }) },
    /** The participant did the step. */
    StepDone: { version: 1, onBus: false, data: z.object({ step: StepName, at: At }) },
    /** Compensation begins. A step that was refused had no effect; a step that ended otherwise may have had one. */
    SagaFailed: { version: 1, onBus: false, data: z.object({ at: At, ending: Ending }) },
    /** The commit sends the command that compensates a step, for the first time or again. */
    CompensationSent: {
      version: 1,
      onBus: false,
      data: z.object({ step: StepName, attempt: Attempt, at: At, again: At }),
    },
    /** A step was compensated. `by` is the operator who confirmed it; it is absent when a participant answered. */
    CompensationDone: {
      version: 1,
      onBus: false,
      data: z.object({
        step: StepName,
        at: At,
        by: z.exactOptional(z.string()),
        note: z.exactOptional(z.string().check(z.maxLength(500))),
      }),
    },
    /** A compensation was refused or was never answered. An operator must act. */
    SagaStuck: {
      version: 1,
      onBus: false,
      data: z.object({ step: StepName, at: At, reason: z.exactOptional(z.string()) }),
    },
    /**
     * A timeout was scheduled for `at`. `number` identifies it; older timeouts are ignored. `backlog` is present if nothing
     * was sent again because a backlog explains the silence: the seconds that don't count for the step's timeout.
     */
    TimerSet: {
      version: 1,
      onBus: false,
      data: z.object({ number: z.int().check(z.gte(1)), at: At, backlog: z.exactOptional(z.int().check(z.gte(1))) }),
    },
    /** All steps are done. */
    SagaCompleted: { version: 1, onBus: false, data: z.object({ at: At }) },
    /** All steps that had an effect are compensated. */
    SagaCompensated: { version: 1, onBus: false, data: z.object({ at: At }) },
  }) as const satisfies Record<string, EventSchema>;

export type SagaEvent<Data> = EventOf<{
  readonly service: string;
  readonly events: ReturnType<typeof sagaEvents<Data>>;
}>;

/**
 * Commands that a saga receives from its own timer and from operators. Only the queue of the saga's own service
 * receives them.
 */
export const sagaCommands = {
  /** The time of a timeout has come. */
  RingTimer: { version: 1, data: z.object({ sagaId: z.string(), number: z.int().check(z.gte(1)) }) },
  /** Sends the command that the saga waits for again. */
  RetrySaga: { version: 1, data: z.object({ sagaId: z.string() }) },
  /**
   * An operator confirms that they compensated a step of a stuck saga by hand. The command names the step. If the saga
   * is stuck at another step by then, it is refused.
   */
  ResolveSaga: {
    version: 1,
    data: z.object({
      sagaId: z.string(),
      step: StepName,
      by: z.string(),
      note: z.string().check(z.minLength(1), z.maxLength(500)),
    }),
  },
} as const satisfies Record<string, EventSchema>;

/**
 * Returns the partition key of the list of stuck sagas of one type, in their service's table. The sort key is the
 * saga's id.
 */
export const stuckKey = (aggregate: string): string => `${STUCK}${aggregate}#`;

/** Prefix of the lists of stuck sagas, of all types. */
export const STUCK = 'STUCK#';

/**
 * Returns the partition key of the round trips of one type's steps, in their service's table. The sort key is the step's
 * name.
 */
export const roundTripKey = (aggregate: string): string => `ROUNDTRIP#${aggregate}#`;

/** Returns the id of a saga's timeout with this number. */
export const timerIdOf = (sagaId: string, number: number): string => `${sagaId}/timer-${number}`;

/** Returns the saga and the number that a timer id names, or `undefined` if the id belongs to another kind of timer. */
export function readTimerId(timerId: string): { readonly sagaId: string; readonly number: number } | undefined {
  const [, sagaId, number] = /^(.+)\/timer-(\d+)$/.exec(timerId) ?? [];
  return sagaId === undefined ? undefined : { sagaId, number: Number(number) };
}
