import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import type { Ending } from '@orderly/kit/internal/saga/contract.js';
import type { SagaState } from '@orderly/kit/internal/saga/state.js';
import type { Saga, SagaStep } from './sagas.js';

/** A saga that still waits, for an answer or for an operator. */
export type WaitingState = Extract<SagaState<unknown>, { status: 'RUNNING' | 'COMPENSATING' | 'STUCK' }>;

export const isWaiting = (state: SagaState<unknown>): state is WaitingState =>
  state.status === 'RUNNING' || state.status === 'COMPENSATING' || state.status === 'STUCK';

/** A saga that waits for an operator. */
export type StuckSaga = Saga & { readonly state: WaitingState & { readonly status: 'STUCK' } };

export const isStuck = (saga: Saga): saga is StuckSaga => saga.state.status === 'STUCK';

/** Describes what the saga waits for: a step, its compensation, or the release before a step. */
export function describeStep(state: WaitingState): string {
  if (isHeld(state)) return `release before ${state.held}`;
  return state.status === 'RUNNING' ? state.waiting.step : `compensation of ${state.waiting.step}`;
}

/** Whether the saga pauses before a step. It has no timeout then, and its service releases it. */
export const isHeld = (state: SagaState<unknown>): state is WaitingState & { readonly held: string } =>
  state.status === 'RUNNING' && state.held !== undefined;

/** Returns the time since which it is held. */
export const heldSince = ({ events }: Saga): string =>
  events.findLast(({ event }) => event.type === 'StepHeld')?.at ?? '';

/** Returns the time at which it became stuck. */
export const stuckSince = ({ events }: Saga): string =>
  events.findLast(({ event }) => event.type === 'SagaStuck')?.at ?? '';

/** The runbook has a section about timeouts that are later than this. */
const LATE_SECONDS = 600;

/** Whether its timeout should have fired. @param now ISO 8601, UTC */
export const isLate = ({ timerAt = '' }: SagaState<unknown>, now: string): boolean =>
  secondsBetween(timerAt, now) > LATE_SECONDS;

/** Describes a saga's state in one line. */
export function describeSaga(saga: Saga): string {
  const { state, events } = saga;
  switch (state.status) {
    case 'NONE':
      return 'not started';
    case 'RUNNING':
    case 'COMPENSATING': {
      if (isHeld(state)) return `held before ${state.held} since ${heldSince(saga)}`;
      const { since, again, attempt } = state.waiting;
      return `waits for ${describeStep(state)} since ${since} (attempt ${attempt}), sent again at ${again}`;
    }
    case 'STUCK':
      return `stuck at ${describeStep(state)} since ${stuckSince(saga)}: ${state.reason ?? 'no reason was given'}`;
    case 'COMPLETED':
      return `completed ${events.at(-1)?.at}`;
    case 'COMPENSATED':
      return `compensated ${events.at(-1)?.at}: ${describeEnding(state.ending)}`;
  }
}

/** `REFUSED at reserve-stock: OUT_OF_STOCK (TEA-1)` */
export function describeEnding({ cause, step, reason, subjects = [] }: Ending): string {
  const at = step === undefined ? '' : ` at ${step}`;
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${cause}${at}${why}${subjects.length > 0 ? ` (${subjects.join(', ')})` : ''}`;
}

/** Describes an event of a saga beyond its type; it contains nothing of the saga's data. */
export function describeStepDetails({ event }: SagaStep): string {
  switch (event.type) {
    case 'StepSent':
    case 'CompensationSent':
      return `${event.data.step}, attempt ${event.data.attempt}`;
    case 'StepDone':
    case 'StepHeld':
      return event.data.step;
    case 'CompensationDone': {
      const { step, by, note } = event.data;
      return by === undefined ? step : `${step}, by ${by}: ${note}`;
    }
    case 'SagaFailed':
      return describeEnding(event.data.ending);
    case 'SagaStuck':
      return [event.data.step, ...(event.data.reason === undefined ? [] : [event.data.reason])].join(': ');
    case 'TimerSet': {
      const { at, backlog } = event.data;
      return backlog === undefined
        ? `to ${at}`
        : `to ${at}: answers are late because of a backlog, so nothing was sent again`;
    }
    case 'SagaStarted':
    case 'SagaCompleted':
    case 'SagaCompensated':
      return '';
  }
}
