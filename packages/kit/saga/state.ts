import type { Evolution } from '../decider/decider.js';
import type { Ending, SagaEvent } from './contract.js';

/** Answer that a saga waits for. */
export interface PendingStep {
  readonly step: string;
  /** Number of the attempt to send, from 1. */
  readonly attempt: number;
  /** Time of the first attempt (ISO 8601, UTC). */
  readonly since: string;
  /** Time of the newest attempt (ISO 8601, UTC). */
  readonly sentAt: string;
  /** Time of the next attempt, or of the timeout (ISO 8601, UTC). */
  readonly again: string;
  /** Seconds of the wait that a backlog explains. They don't count for the step's timeout. */
  readonly backlog: number;
}

interface ActiveSteps<Data> {
  readonly data: Data;
  /**
   * Steps that may have had an effect, in the order of sending: all steps that were sent, except refused and
   * compensated ones.
   */
  readonly toUndo: readonly string[];
  readonly waiting: PendingStep;
}

/** State of a saga, folded from its events. */
export type SagaState<Data> = {
  /** Number of timeouts that were scheduled so far. Only the newest may still fire. */
  readonly timers: number;
  /** Time at which the newest timeout fires. It is absent before the first. */
  readonly timerAt?: string;
} & (
  | { readonly status: 'NONE' }
  | ({
      readonly status: 'RUNNING';
      /** Step before which the saga pauses. It is absent while the saga waits for an answer. */
      readonly held?: string;
    } & ActiveSteps<Data>)
  | ({
      readonly status: 'COMPENSATING' | 'STUCK';
      readonly ending: Ending;
      readonly reason?: string;
    } & ActiveSteps<Data>)
  | { readonly status: 'COMPLETED' }
  | { readonly status: 'COMPENSATED'; readonly ending: Ending }
);

export const initialState: SagaState<never> = { status: 'NONE', timers: 0 };

/** Placeholder before the first step is sent. */
const NO_STEP: PendingStep = { step: '', attempt: 0, since: '', sentAt: '', again: '', backlog: 0 };

/** Applies an event to a saga. The function is total: an event that does not fit the state changes nothing. */
export function evolve<Data>(saga: SagaState<Data>, event: SagaEvent<Data>): SagaState<Data> {
  const { timers, timerAt } = saga;
  const timeout = timerAt === undefined ? { timers } : { timers, timerAt };
  if (event.type === 'TimerSet') {
    const { number, at, backlog = 0 } = event.data;
    const scheduled = { ...saga, timers: number, timerAt: at };
    if (backlog === 0 || !('waiting' in scheduled)) return scheduled;
    const { waiting } = scheduled;
    return { ...scheduled, waiting: { ...waiting, again: at, backlog: waiting.backlog + backlog } };
  }
  if (event.type === 'SagaStarted') {
    return saga.status === 'NONE'
      ? { ...timeout, status: 'RUNNING', data: event.data.data, toUndo: [], waiting: NO_STEP }
      : saga;
  }
  if (event.type === 'SagaFailed' && saga.status === 'NONE') {
    return { ...timeout, status: 'COMPENSATED', ending: event.data.ending };
  }
  if (saga.status === 'NONE' || saga.status === 'COMPLETED' || saga.status === 'COMPENSATED') return saga;
  switch (event.type) {
    case 'StepSent': {
      const { step } = event.data;
      const going = withoutHold(saga);
      return {
        ...going,
        toUndo: [...without(saga.toUndo, step), step],
        waiting: toPendingStep(saga.waiting, event.data),
      };
    }
    case 'StepHeld':
      return saga.status === 'RUNNING' ? { ...saga, held: event.data.step } : saga;
    case 'StepDone':
      return saga;
    case 'SagaFailed': {
      const { ending } = event.data;
      const hadNoEffect = ending.cause === 'REFUSED' ? ending.step : undefined;
      return { ...withoutHold(saga), status: 'COMPENSATING', ending, toUndo: without(saga.toUndo, hadNoEffect) };
    }
    case 'CompensationSent': {
      if (saga.status === 'RUNNING') return saga;
      const { reason: _, ...going } = saga;
      return { ...going, status: 'COMPENSATING', waiting: toPendingStep(saga.waiting, event.data) };
    }
    case 'CompensationDone':
      return { ...saga, toUndo: without(saga.toUndo, event.data.step) };
    case 'SagaStuck': {
      if (saga.status === 'RUNNING') return saga;
      const { reason } = event.data;
      return { ...saga, status: 'STUCK', ...(reason === undefined ? {} : { reason }) };
    }
    case 'SagaCompleted':
      return { ...timeout, status: 'COMPLETED' };
    case 'SagaCompensated':
      return saga.status === 'RUNNING' ? saga : { ...timeout, status: 'COMPENSATED', ending: saga.ending };
  }
}

/** Evolution of a saga, for its event store. The saga's definition decides (`decide` in saga.ts). */
export const sagaEvolution = <Data>(): Evolution<SagaState<Data>, SagaEvent<Data>> => ({
  initialState,
  evolve,
  stateSchema: 2,
});

/** Returns the state without its pause. */
function withoutHold<Data, State extends SagaState<Data> & ActiveSteps<Data>>(
  saga: State,
): Omit<State, 'held'> & State {
  const { held: _, ...going } = saga as State & { held?: string };
  return going as unknown as Omit<State, 'held'> & State;
}

const without = (steps: readonly string[], step: string | undefined): readonly string[] =>
  steps.filter((name) => name !== step);

/**
 * Returns the wait for a command that was just sent. `since` is the time of the first attempt; retries keep it. A step
 * and its compensation are counted separately.
 */
function toPendingStep(
  before: PendingStep,
  { step, attempt, at, again }: { step: string; attempt: number; at: string; again: string },
): PendingStep {
  const isFirst = attempt === 1;
  return {
    step,
    attempt,
    since: isFirst ? at : before.since,
    sentAt: at,
    again,
    backlog: isFirst ? 0 : before.backlog,
  };
}
