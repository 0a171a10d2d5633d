import type { OutgoingCommand } from '../messages/contract.js';
import type { Ending, SagaEvent } from './contract.js';
import { evolve, type SagaState } from './state.js';

/** One step: what a participant is asked to do, and how that is undone. */
export interface Step<Data> {
  /** Part of the step's identity, in every message about it: never renamed while sagas are under way. */
  readonly name: string;
  readonly command: (data: Data, stepId: string) => OutgoingCommand;
  /** Its compensation; it is also sent for a step that may not have happened. @default there is nothing to undo */
  readonly undo?: (data: Data, stepId: string) => OutgoingCommand;
  /** Whether there is anything to do; what says no is left out. @default there is */
  readonly isNeeded?: (data: Data) => boolean;
  readonly patience: Patience;
}

/** How long an answer is waited for. */
export interface Patience {
  /** Until the command is sent again for the first time; then twice as long, and so on. Seconds. */
  readonly sendAgainAfter: number;
  /** From the first time on, until it is given up. Seconds. */
  readonly giveUpAfter: number;
}

/** Steps in their order; pure. What commits, sends and rings is the orchestrator's (orchestrator.ts). */
export interface Saga<Data> {
  readonly steps: readonly Step<Data>[];
  /** Of compensations: a step may be given up, what undoes it never is before an operator knows. */
  readonly compensation: Patience;
}

/** What a saga hears. */
export type SagaMessage<Data> =
  | { readonly type: 'Start'; readonly data: Data }
  | {
      readonly type: 'Reply';
      readonly stepId: string;
      readonly outcome: 'DONE' | 'REFUSED';
      readonly reason?: string;
      readonly subjects?: readonly string[];
    }
  | { readonly type: 'Cancel' }
  | { readonly type: 'Ring'; readonly number: number }
  | { readonly type: 'Retry' }
  | { readonly type: 'Resolve'; readonly step: string; readonly by: string; readonly note: string };

/** What follows: both in one commit. */
export interface SagaDecision<Data> {
  readonly events: readonly SagaEvent<Data>[];
  readonly commands: readonly OutgoingCommand[];
}

/** What an operator asked for does not fit the saga's state. Nothing was changed. */
export class SagaRefused extends Error {
  override readonly name = 'SagaRefused';
  constructor(readonly code: 'NOT_WAITING' | 'NOT_STUCK' | 'STUCK_ELSEWHERE') {
    super(code);
  }
}

/** Identity of a step, the same for each time that it is sent: participants key their effect by what it is about. */
export const stepIdOf = (sagaId: string, step: string): string => `${sagaId}/${step}`;
/** Identity of a step's compensation. */
export const undoIdOf = (sagaId: string, step: string): string => `${stepIdOf(sagaId, step)}/undo`;

/** The longest pause between two times of sending. */
const LONGEST_PAUSE_SECONDS = 3_600;

/**
 * Which events and commands follow from a message; none where it was heard before, or came too late to matter.
 *
 *     RUNNING ------- last step done ----> COMPLETED
 *        | refused, never answered, cancelled
 *     COMPENSATING -- all undone --------> COMPENSATED
 *        | refused, never answered    ^
 *     STUCK -- operator, late answer -+
 *
 * @param now ISO 8601, UTC
 * @throws {SagaRefused} where an operator asks for what the state doesn't allow
 */
export function decide<Data>(
  saga: Saga<Data>,
  id: string,
  state: SagaState<Data>,
  message: SagaMessage<Data>,
  now: string,
): SagaDecision<Data> {
  const course = new Course(saga, id, state, now);
  switch (message.type) {
    case 'Start':
      if (state.status === 'NONE') course.start(message.data);
      break;
    case 'Reply':
      course.reply(message);
      break;
    case 'Cancel':
      // Before it began, too: the order of two messages is nobody's promise.
      if (state.status === 'NONE' || state.status === 'RUNNING') course.fail({ cause: 'CANCELLED' });
      break;
    case 'Ring':
      if (message.number === state.timers) course.ring();
      break;
    case 'Retry':
      course.retry();
      break;
    case 'Resolve':
      course.resolve(message);
      break;
  }
  return course.decision(message, state);
}

type Reply = Extract<SagaMessage<never>, { type: 'Reply' }>;

/** A decision in the making: each event changes the state that the next one follows from. */
class Course<Data> {
  private readonly events: SagaEvent<Data>[] = [];
  private readonly commands: OutgoingCommand[] = [];

  constructor(
    private readonly saga: Saga<Data>,
    private readonly id: string,
    private state: SagaState<Data>,
    private readonly now: string,
  ) {}

  start(data: Data): void {
    this.add({ type: 'SagaStarted', data: { at: this.now, data } });
    this.sendNext(undefined);
  }

  /** An answer counts once, and only to what is waited for: what was given up is being undone, whatever it answers. */
  reply({ stepId, outcome, reason, subjects }: Reply): void {
    const { state, now } = this;
    if (!isGoing(state)) return;
    const { step } = state.waiting;
    if (state.status === 'RUNNING') {
      if (stepId !== stepIdOf(this.id, step)) return;
      if (outcome === 'REFUSED') {
        const why = { ...(reason && { reason }), ...(subjects && { subjects: [...subjects] }) };
        this.fail({ cause: 'REFUSED', step, ...why });
      } else {
        this.add({ type: 'StepDone', data: { step, at: now } });
        this.sendNext(step);
      }
      return;
    }
    if (stepId !== undoIdOf(this.id, step)) return;
    if (outcome === 'DONE') this.undone({ step, at: now });
    else if (state.status === 'COMPENSATING') this.stuck(step, reason);
  }

  fail(ending: Ending): void {
    this.add({ type: 'SagaFailed', data: { at: this.now, ending } });
    this.undoNext();
  }

  /** Early where a later step is waited for by now. */
  ring(): void {
    const { state, now } = this;
    if (!isGoing(state) || state.status === 'STUCK' || now < state.waiting.again) return;
    const { step, attempt, since } = state.waiting;
    const isRunning = state.status === 'RUNNING';
    if (now < later(since, this.patienceWith(step).giveUpAfter)) this.send(step, attempt + 1);
    else if (isRunning) this.fail({ cause: 'UNANSWERED', step });
    else this.stuck(step, 'UNANSWERED');
  }

  retry(): void {
    const { state } = this;
    if (!isGoing(state)) throw new SagaRefused('NOT_WAITING');
    const { step, attempt } = state.waiting;
    // A stuck one begins anew: it would be given up at once otherwise.
    this.send(step, state.status === 'STUCK' ? 1 : attempt + 1);
  }

  /** What one step's undoing was done by hand says nothing of the step that it is stuck at meanwhile. */
  resolve({ step, by, note }: Extract<SagaMessage<never>, { type: 'Resolve' }>): void {
    const { state, now } = this;
    if (state.status !== 'STUCK') throw new SagaRefused('NOT_STUCK');
    if (step !== state.waiting.step) throw new SagaRefused('STUCK_ELSEWHERE');
    this.undone({ step, at: now, by, note });
  }

  /**
   * Sets the clock for what is waited for in the end, where none is set that rings in time. While it was stuck its clock
   * may have rung unheard, and an operator may ask because it never rang: neither trusts the one that is set.
   */
  decision(message: SagaMessage<Data>, before: SagaState<Data>): SagaDecision<Data> {
    const { state, now } = this;
    if (isGoing(state) && state.status !== 'STUCK') {
      const { waiting, timers, timerAt } = state;
      const rang = message.type === 'Ring' && message.number === timers;
      const mayBeGone = rang || message.type === 'Retry' || before.status === 'STUCK';
      if (timerAt === undefined || mayBeGone || timerAt <= now || timerAt > waiting.again) {
        this.add({ type: 'TimerSet', data: { number: timers + 1, at: waiting.again } });
      }
    }
    return { events: this.events, commands: this.commands };
  }

  private sendNext(after: string | undefined): void {
    const { state } = this;
    if (!isGoing(state)) return;
    const { steps } = this.saga;
    const done = after === undefined ? -1 : steps.indexOf(this.stepCalled(after));
    const next = steps.find(({ isNeeded = () => true }, at) => at > done && isNeeded(state.data));
    if (next) this.send(next.name, 1);
    else this.add({ type: 'SagaCompleted', data: { at: this.now } });
  }

  /** In the reverse order of sending; what has nothing to undo is left out. */
  private undoNext(): void {
    const { state } = this;
    const toUndo = isGoing(state) ? state.toUndo : [];
    const last = toUndo.findLast((name) => this.stepCalled(name).undo !== undefined);
    if (last === undefined) this.add({ type: 'SagaCompensated', data: { at: this.now } });
    else this.send(last, 1);
  }

  private undone(data: Extract<SagaEvent<Data>, { type: 'CompensationDone' }>['data']): void {
    this.add({ type: 'CompensationDone', data });
    this.undoNext();
  }

  private stuck(step: string, reason: string | undefined): void {
    this.add({ type: 'SagaStuck', data: { step, at: this.now, ...(reason === undefined ? {} : { reason }) } });
  }

  /** The step while it runs, its compensation from then on. */
  private send(step: string, attempt: number): void {
    const { state, now, id } = this;
    if (!isGoing(state)) return;
    const { command, undo } = this.stepCalled(step);
    const isRunning = state.status === 'RUNNING';
    const since = attempt === 1 ? now : state.waiting.since;
    const { sendAgainAfter, giveUpAfter } = this.patienceWith(step);
    const pause = Math.min(LONGEST_PAUSE_SECONDS, sendAgainAfter * 2 ** (attempt - 1));
    const [pauseEnds, givenUp] = [later(now, pause), later(since, giveUpAfter)];
    const again = pauseEnds < givenUp || now >= givenUp ? pauseEnds : givenUp;
    const outgoing = isRunning ? command(state.data, stepIdOf(id, step)) : undo?.(state.data, undoIdOf(id, step));
    this.add({ type: isRunning ? 'StepSent' : 'CompensationSent', data: { step, attempt, at: now, again } });
    if (outgoing) this.commands.push(outgoing);
  }

  private patienceWith(step: string): Patience {
    return this.state.status === 'RUNNING' ? this.stepCalled(step).patience : this.saga.compensation;
  }

  /** @throws {Error} a release that forgot a step while sagas are under way: they wait until one knows it again */
  private stepCalled(name: string): Step<Data> {
    const step = this.saga.steps.find((one) => one.name === name);
    if (!step) throw new Error(`the saga has no step '${name}' in this release`);
    return step;
  }

  private add(event: SagaEvent<Data>): void {
    this.events.push(event);
    this.state = evolve(this.state, event);
  }
}

type Going<Data> = Extract<SagaState<Data>, { status: 'RUNNING' | 'COMPENSATING' | 'STUCK' }>;

const isGoing = <Data>(state: SagaState<Data>): state is Going<Data> =>
  state.status === 'RUNNING' || state.status === 'COMPENSATING' || state.status === 'STUCK';

/** @param seconds after a time (ISO 8601, UTC) */
const later = (time: string, seconds: number): string => new Date(Date.parse(time) + seconds * 1000).toISOString();
