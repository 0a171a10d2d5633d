import type { OutgoingCommand } from '../messages/contract.js';
import type { Ending, SagaEvent } from './contract.js';
import { evolve, type SagaState } from './state.js';

/** One step of a saga: the command to a participant, and the command that compensates it. */
export interface Step<Data> {
  /**
   * Name of the step. It is part of the step's id in every message about it, so never rename it while sagas are
   * running.
   */
  readonly name: string;
  /** Creates the command of the step. `buildCommand` of the messages checks it against the participant's contract. */
  readonly command: (data: Data, stepId: string) => OutgoingCommand;
  /**
   * Creates the compensation. It is also sent for a step that may not have happened.
   * @default the step needs no compensation
   */
  readonly compensatingCommand?: (data: Data, stepId: string) => OutgoingCommand;
  /** Tells whether this saga needs the step. A step that is not needed is skipped. @default every saga needs it */
  readonly isNeeded?: (data: Data) => boolean;
  readonly retryPolicy: RetryPolicy;
}

/** Retry policy and timeout of a step or a compensation. */
export interface RetryPolicy {
  /** Seconds until the command is sent for the second time. The pause doubles with each further attempt. */
  readonly retryAfter: number;
  /** Timeout in seconds, counted from the first attempt. Time that a backlog explains does not count. */
  readonly timeout: number;
}

/**
 * Definition of a saga: its steps in their order. It is pure; the orchestrator commits, sends and schedules
 * (orchestrator.ts).
 * @example
 * const bookTrip: Saga<Trip> = {
 *   steps: [
 *     {
 *       name: 'book-hotel',
 *       command: ({ tripId, nights }, stepId) => buildCommand(hotelsContract, 'BookHotel', { tripId, stepId, nights }),
 *       compensatingCommand: ({ tripId }, stepId) => buildCommand(hotelsContract, 'CancelHotel', { tripId, stepId }),
 *       retryPolicy: { retryAfter: 60, timeout: 900 },
 *     },
 *   ],
 *   compensationPolicy: { retryAfter: 60, timeout: 86_400 },
 * };
 */
export interface Saga<Data> {
  readonly steps: readonly Step<Data>[];
  /**
   * Retry policy of all compensations. A step fails when its timeout is over; a compensation instead makes the saga
   * stuck, and an operator is notified.
   */
  readonly compensationPolicy: RetryPolicy;
}

/** Asks the saga to pause, if this message makes it send a step. */
interface Hold {
  /** Name of the step before which the saga pauses, until it is released or cancelled. @default no pause */
  readonly holdBefore?: string;
}

/** Message that a saga receives. */
export type SagaMessage<Data> =
  | ({ readonly type: 'Start'; readonly data: Data } & Hold)
  | ({
      readonly type: 'Reply';
      readonly stepId: string;
      readonly outcome: 'DONE' | 'REFUSED';
      readonly reason?: string;
      readonly subjects?: readonly string[];
    } & Hold)
  /** Ends a pause: sends the step before which the saga was held. It is ignored if the saga is not held. */
  | ({ readonly type: 'Release' } & Hold)
  | { readonly type: 'Cancel' }
  | {
      readonly type: 'Timeout';
      readonly number: number;
      /**
       * Seconds that recent answers to the step took, from the command to the saga.
       * @default unknown: only the timeout's own lateness may show a backlog
       */
      readonly roundTrip?: number;
    }
  | { readonly type: 'Retry' }
  | { readonly type: 'Resolve'; readonly step: string; readonly by: string; readonly note: string };

/** Events and commands that follow from a message. One commit writes both. */
export interface SagaDecision<Data> {
  readonly events: readonly SagaEvent<Data>[];
  readonly commands: readonly OutgoingCommand[];
}

/** Error for an operator's request that the saga's state does not allow. Nothing was changed. */
export class SagaRefused extends Error {
  override readonly name = 'SagaRefused';
  constructor(readonly code: 'NOT_WAITING' | 'NOT_STUCK' | 'STUCK_ELSEWHERE') {
    super(code);
  }
}

/**
 * Returns the id of a step. It is the same for every attempt. Participants use the subject of the command as the
 * idempotency key of their effect.
 */
export const stepIdOf = (sagaId: string, step: string): string => `${sagaId}/${step}`;
/** Returns the id of a step's compensation. */
export const compensationIdOf = (sagaId: string, step: string): string => `${stepIdOf(sagaId, step)}/undo`;

/** Longest pause between two attempts. */
const LONGEST_PAUSE_SECONDS = 3_600;
/**
 * Lateness of a timeout that shows a backlog of the saga's own queue, in seconds: a sweeper comes every minute, and its
 * message takes seconds.
 */
const LATE_SECONDS = 180;
/** Longest time for which a backlog may explain the silence of one step, in seconds. So a saga ends in any case. */
const LONGEST_BACKLOG_SECONDS = 24 * 3_600;

/**
 * Decides which events and commands follow from a message. A message that is a duplicate, or that comes too late to
 * matter, leads to none.
 *
 *     RUNNING ------- last step done ----> COMPLETED
 *        | refused, timed out, cancelled
 *     COMPENSATING -- all compensated ---> COMPENSATED
 *        | refused, timed out         ^
 *     STUCK -- operator, late answer -+
 *
 * @param now ISO 8601, UTC
 * @throws {SagaRefused} if an operator asks for something that the state does not allow
 */
export function decide<Data>(
  saga: Saga<Data>,
  id: string,
  state: SagaState<Data>,
  message: SagaMessage<Data>,
  now: string,
): SagaDecision<Data> {
  const builder = new DecisionBuilder(saga, id, state, now);
  switch (message.type) {
    case 'Start':
      if (state.status === 'NONE') builder.start(message.data, message.holdBefore);
      break;
    case 'Reply':
      builder.reply(message);
      break;
    case 'Release':
      builder.release(message.holdBefore);
      break;
    case 'Cancel':
      // A cancellation counts even before the saga starts, because nothing guarantees the order of two messages.
      if (state.status === 'NONE' || state.status === 'RUNNING') builder.fail({ cause: 'CANCELLED' });
      break;
    case 'Timeout':
      if (message.number === state.timers) builder.timeOut(message.roundTrip);
      break;
    case 'Retry':
      builder.retry();
      break;
    case 'Resolve':
      builder.resolve(message);
      break;
  }
  return builder.build(message, state);
}

/**
 * Returns the step whose timeout a message is, with an answer that is due; `undefined` for every other message, and for a
 * timeout that changes nothing.
 */
export const findDueStep = <Data>(
  state: SagaState<Data>,
  message: SagaMessage<Data>,
  now: string,
): string | undefined =>
  message.type === 'Timeout' && message.number === state.timers && isDue(state, now) ? state.waiting.step : undefined;

/**
 * Returns the step that a message answers late, after more than half of the time until the step would be sent again, and the
 * seconds since it was sent. A step that was sent again tells nothing: its answer may be to any of the attempts (Karn's
 * algorithm, RFC 6298 section 3).
 */
export function measureLateReply<Data>(
  saga: Saga<Data>,
  id: string,
  state: SagaState<Data>,
  message: SagaMessage<Data>,
  now: string,
): { readonly step: string; readonly seconds: number } | undefined {
  // A late answer to a stuck saga tells how long it was stuck.
  if (message.type !== 'Reply' || !isActive(state) || isHeld(state) || state.status === 'STUCK') return undefined;
  const { step, attempt, since } = state.waiting;
  const isRunning = state.status === 'RUNNING';
  if (attempt !== 1 || message.stepId !== (isRunning ? stepIdOf(id, step) : compensationIdOf(id, step)))
    return undefined;
  const taken = secondsFromTo(since, now);
  const policy = isRunning ? saga.steps.find(({ name }) => name === step)?.retryPolicy : saga.compensationPolicy;
  return policy && taken > policy.retryAfter / 2 ? { step, seconds: Math.ceil(taken) } : undefined;
}

type Reply = Extract<SagaMessage<never>, { type: 'Reply' }>;

/** Builds a decision. Each event changes the state from which the next event follows. */
class DecisionBuilder<Data> {
  private readonly events: SagaEvent<Data>[] = [];
  private readonly commands: OutgoingCommand[] = [];
  /** Seconds that the answer took which this message is. */
  private roundTrip = 0;

  constructor(
    private readonly saga: Saga<Data>,
    private readonly id: string,
    private state: SagaState<Data>,
    private readonly now: string,
  ) {}

  start(data: Data, holdBefore?: string): void {
    this.add({ type: 'SagaStarted', data: { at: this.now, data } });
    this.sendNext(undefined, holdBefore);
  }

  /** Ends a pause, unless it is to go on. The step's retries and its timeout count from now. */
  release(holdBefore?: string): void {
    const { state } = this;
    if (state.status === 'RUNNING' && state.held !== undefined && state.held !== holdBefore) this.send(state.held, 1);
  }

  /**
   * Handles an answer. An answer counts once, and only if the saga waits for it. A step that timed out is compensated,
   * whatever it answers later.
   */
  reply({ stepId, outcome, reason, subjects, holdBefore }: Reply): void {
    const { state, now } = this;
    if (!isActive(state) || isHeld(state)) return;
    const { step, attempt, since } = state.waiting;
    if (attempt === 1 && state.status !== 'STUCK') this.roundTrip = secondsFromTo(since, now);
    if (state.status === 'RUNNING') {
      if (stepId !== stepIdOf(this.id, step)) return;
      if (outcome === 'REFUSED') {
        const why = { ...(reason && { reason }), ...(subjects && { subjects: [...subjects] }) };
        this.fail({ cause: 'REFUSED', step, ...why });
      } else {
        this.add({ type: 'StepDone', data: { step, at: now } });
        this.sendNext(step, holdBefore);
      }
      return;
    }
    if (stepId !== compensationIdOf(this.id, step)) return;
    if (outcome === 'DONE') this.completeCompensation({ step, at: now });
    else if (state.status === 'COMPENSATING') this.markStuck(step, reason);
  }

  fail(ending: Ending): void {
    this.add({ type: 'SagaFailed', data: { at: this.now, ending } });
    this.compensateNext();
  }

  /**
   * Handles a timeout. The timeout is early if the saga waits for a later step by now; then the saga only schedules the
   * next one.
   */
  timeOut(roundTrip = 0): void {
    const { state, now } = this;
    if (!isDue(state, now)) return;
    const { step, attempt, since, backlog } = state.waiting;
    const isRunning = state.status === 'RUNNING';
    const pause = this.computeBacklogPause(state, roundTrip);
    if (pause > 0) this.waitForBacklog(state, pause);
    else if (now < addSeconds(since, this.findRetryPolicy(step).timeout + backlog)) this.send(step, attempt + 1);
    else if (isRunning) this.fail({ cause: 'UNANSWERED', step });
    else this.markStuck(step, 'UNANSWERED');
  }

  /**
   * Returns the seconds to wait because a backlog explains the silence; 0 if nothing explains it. Under overload, sending
   * again would be more load, and giving up would be an order that nothing but its own delay rejects.
   *
   * An answer is overdue after twice the time that recent answers took, as TCP's retransmission timeout follows the measured
   * round trip (RFC 6298). A timeout that comes late itself was in the saga's own queue, where the answer may still be.
   */
  private computeBacklogPause({ waiting, timerAt }: ActiveSaga<Data>, roundTrip: number): number {
    const { now } = this;
    if (waiting.backlog >= LONGEST_BACKLOG_SECONDS) return 0;
    const overdueIn = secondsFromTo(now, addSeconds(waiting.sentAt, 2 * roundTrip));
    const lateness = secondsFromTo(timerAt ?? now, now);
    const pause = Math.max(overdueIn, lateness > LATE_SECONDS ? lateness : 0);
    if (pause <= 0) return 0;
    const { retryAfter } = this.findRetryPolicy(waiting.step);
    return Math.ceil(Math.min(Math.max(pause, retryAfter), LONGEST_PAUSE_SECONDS));
  }

  /** Sends nothing, and looks again later. The time since the step was due does not count for its timeout. */
  private waitForBacklog({ waiting: { again }, timers }: ActiveSaga<Data>, pause: number): void {
    const at = addSeconds(this.now, pause);
    this.add({ type: 'TimerSet', data: { number: timers + 1, at, backlog: Math.ceil(secondsFromTo(again, at)) } });
  }

  retry(): void {
    const { state } = this;
    if (!isActive(state) || isHeld(state)) throw new SagaRefused('NOT_WAITING');
    const { step, attempt } = state.waiting;
    // A stuck compensation starts again at attempt 1. Otherwise its timeout would already be over.
    this.send(step, state.status === 'STUCK' ? 1 : attempt + 1);
  }

  /**
   * Records that an operator compensated a step by hand. This says nothing about another step that the saga is stuck at
   * by now.
   */
  resolve({ step, by, note }: Extract<SagaMessage<never>, { type: 'Resolve' }>): void {
    const { state, now } = this;
    if (state.status !== 'STUCK') throw new SagaRefused('NOT_STUCK');
    if (step !== state.waiting.step) throw new SagaRefused('STUCK_ELSEWHERE');
    this.completeCompensation({ step, at: now, by, note });
  }

  /**
   * Returns the decision. Schedules a timeout for what the saga waits for, unless a scheduled one fires in time.
   *
   * It schedules a new timeout in two more cases, because the old one may be gone: the timeout may have fired without
   * effect while the saga was stuck or held, and an operator may retry because the timeout never fired.
   */
  build(message: SagaMessage<Data>, before: SagaState<Data>): SagaDecision<Data> {
    const { state, now } = this;
    if (isActive(state) && !isHeld(state) && state.status !== 'STUCK') {
      const { waiting, timers, timerAt } = state;
      const isDue = message.type === 'Timeout' && message.number === timers;
      const mayBeGone = isDue || message.type === 'Retry' || before.status === 'STUCK' || isHeld(before);
      if (timerAt === undefined || mayBeGone || timerAt <= now || timerAt > waiting.again) {
        this.add({ type: 'TimerSet', data: { number: timers + 1, at: waiting.again } });
      }
    }
    return { events: this.events, commands: this.commands };
  }

  private sendNext(after: string | undefined, holdBefore: string | undefined): void {
    const { state } = this;
    if (!isActive(state)) return;
    const { steps } = this.saga;
    const done = after === undefined ? -1 : steps.indexOf(this.findStep(after));
    const next = steps.find(({ isNeeded = () => true }, at) => at > done && isNeeded(state.data));
    if (next && next.name === holdBefore) this.add({ type: 'StepHeld', data: { step: next.name, at: this.now } });
    else if (next) this.send(next.name, 1);
    else this.add({ type: 'SagaCompleted', data: { at: this.now } });
  }

  /** Compensates the next step, in the reverse order of sending. Steps without a compensation are skipped. */
  private compensateNext(): void {
    const { state } = this;
    const toUndo = isActive(state) ? state.toUndo : [];
    const last = toUndo.findLast((name) => this.findStep(name).compensatingCommand !== undefined);
    if (last === undefined) this.add({ type: 'SagaCompensated', data: { at: this.now } });
    else this.send(last, 1);
  }

  private completeCompensation(data: Extract<SagaEvent<Data>, { type: 'CompensationDone' }>['data']): void {
    this.add({ type: 'CompensationDone', data });
    this.compensateNext();
  }

  private markStuck(step: string, reason: string | undefined): void {
    this.add({ type: 'SagaStuck', data: { step, at: this.now, ...(reason === undefined ? {} : { reason }) } });
  }

  /**
   * Sends the step's command while the saga is running, and its compensation afterwards. If the answer before it was late,
   * this one may be as late: it is expected after twice that time, so that the backlog has no timeout of each step.
   */
  private send(step: string, attempt: number): void {
    const { state, now, id } = this;
    if (!isActive(state)) return;
    const { command, compensatingCommand } = this.findStep(step);
    const isRunning = state.status === 'RUNNING';
    const { since, backlog } = attempt === 1 ? { since: now, backlog: 0 } : state.waiting;
    const { retryAfter, timeout } = this.findRetryPolicy(step);
    // Half of the timeout at most, because a step is sent again before it is given up.
    const expected = Math.max(retryAfter, Math.min(2 * this.roundTrip, timeout / 2));
    const pause = Math.min(LONGEST_PAUSE_SECONDS, attempt === 1 ? expected : retryAfter * 2 ** (attempt - 1));
    const [pauseEnds, givenUp] = [addSeconds(now, pause), addSeconds(since, timeout + backlog)];
    const again = pauseEnds < givenUp || now >= givenUp ? pauseEnds : givenUp;
    const outgoing = isRunning
      ? command(state.data, stepIdOf(id, step))
      : compensatingCommand?.(state.data, compensationIdOf(id, step));
    this.add({ type: isRunning ? 'StepSent' : 'CompensationSent', data: { step, attempt, at: now, again } });
    if (outgoing) this.commands.push(outgoing);
  }

  private findRetryPolicy(step: string): RetryPolicy {
    return this.state.status === 'RUNNING' ? this.findStep(step).retryPolicy : this.saga.compensationPolicy;
  }

  /**
   * @throws {Error} if this release lacks a step of a running saga; the saga waits until a release has the step again
   */
  private findStep(name: string): Step<Data> {
    const step = this.saga.steps.find((one) => one.name === name);
    if (!step) throw new Error(`the saga has no step '${name}' in this release`);
    return step;
  }

  private add(event: SagaEvent<Data>): void {
    this.events.push(event);
    this.state = evolve(this.state, event);
  }
}

type ActiveSaga<Data> = Extract<SagaState<Data>, { status: 'RUNNING' | 'COMPENSATING' | 'STUCK' }>;

const isActive = <Data>(state: SagaState<Data>): state is ActiveSaga<Data> =>
  state.status === 'RUNNING' || state.status === 'COMPENSATING' || state.status === 'STUCK';

/** Whether a saga waits for an answer that should be there by now. */
const isDue = <Data>(state: SagaState<Data>, now: string): state is ActiveSaga<Data> =>
  isActive(state) && !isHeld(state) && state.status !== 'STUCK' && now >= state.waiting.again;

/** Whether the saga pauses before a step: it waits for a release, and for no answer and no timeout. */
const isHeld = <Data>(state: SagaState<Data>): boolean => state.status === 'RUNNING' && state.held !== undefined;

/** Returns the seconds between two times (ISO 8601, UTC); below 0 if the second one is earlier. */
const secondsFromTo = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

/** @param time ISO 8601, UTC */
const addSeconds = (time: string, seconds: number): string => new Date(Date.parse(time) + seconds * 1000).toISOString();
