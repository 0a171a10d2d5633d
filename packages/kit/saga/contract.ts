import * as z from 'zod/mini';
import type { EventOf, EventSchema } from '../messages/contract.js';

const At = z.iso.datetime();
const StepName = z.string().check(z.regex(/^[a-z][a-z-]{0,62}$/));
const Attempt = z.int().check(z.gte(1));

/** Why a saga doesn't complete. */
export const Ending = z.object({
  cause: z.enum(['REFUSED', 'UNANSWERED', 'CANCELLED']),
  /** The step that was refused or never answered. */
  step: z.exactOptional(StepName),
  /** The participant's reason, as its contract names it. */
  reason: z.exactOptional(z.string()),
  /** What the reason is about: SKUs, for instance. */
  subjects: z.exactOptional(z.array(z.string())),
});
export type Ending = z.infer<typeof Ending>;

/**
 * The events of a saga, whose data is of this shape. Each names its steps, so that a saga that is under way goes on by
 * what it did, whatever the steps of a later release are.
 */
export const sagaEvents = <Data>(data: z.ZodMiniType<Data>) =>
  ({
    SagaStarted: { version: 1, data: z.object({ at: At, data }) },
    /** The step's command goes out with this commit, for the first time or once more. */
    StepSent: { version: 1, data: z.object({ step: StepName, attempt: Attempt, at: At, again: At }) },
    StepDone: { version: 1, data: z.object({ step: StepName, at: At }) },
    /** From here on what was done is undone: by its refusal the step had no effect, otherwise it may have had one. */
    SagaFailed: { version: 1, data: z.object({ at: At, ending: Ending }) },
    CompensationSent: { version: 1, data: z.object({ step: StepName, attempt: Attempt, at: At, again: At }) },
    /** `by`: the operator who says that it is undone; a participant's answer where there is none. */
    CompensationDone: {
      version: 1,
      data: z.object({
        step: StepName,
        at: At,
        by: z.exactOptional(z.string()),
        note: z.exactOptional(z.string().check(z.maxLength(500))),
      }),
    },
    /** The compensation was refused, or never answered: an operator has to look. */
    SagaStuck: { version: 1, data: z.object({ step: StepName, at: At, reason: z.exactOptional(z.string()) }) },
    /** The alarm clock: it rings at `at`, and is known by its number. */
    TimerSet: { version: 1, data: z.object({ number: z.int().check(z.gte(1)), at: At }) },
    SagaCompleted: { version: 1, data: z.object({ at: At }) },
    SagaCompensated: { version: 1, data: z.object({ at: At }) },
  }) as const satisfies Record<string, EventSchema>;

export type SagaEvent<Data> = EventOf<{
  readonly service: string;
  readonly events: ReturnType<typeof sagaEvents<Data>>;
}>;

/** What a saga hears from its own timer and from operators; each goes to its queue, and to nobody else's. */
export const sagaCommands = {
  RingTimer: { version: 1, data: z.object({ sagaId: z.string(), number: z.int().check(z.gte(1)) }) },
  /** Sends once more what the saga waits for. */
  RetrySaga: { version: 1, data: z.object({ sagaId: z.string() }) },
  /** An operator undid by hand what a stuck saga could not: this step, and no other one that it is stuck at by then. */
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

/** Key of the list of stuck sagas of one kind, in their service's table; the sort key is the saga's id. */
export const stuckKey = (aggregate: string): string => `STUCK#${aggregate}#`;

/** Names the clock of a saga that has this number. */
export const timerIdOf = (sagaId: string, number: number): string => `${sagaId}/timer-${number}`;

/** Whose clock that is; nothing where it is another timer's id. */
export function readTimerId(timerId: string): { readonly sagaId: string; readonly number: number } | undefined {
  const [, sagaId, number] = /^(.+)\/timer-(\d+)$/.exec(timerId) ?? [];
  return sagaId === undefined ? undefined : { sagaId, number: Number(number) };
}
