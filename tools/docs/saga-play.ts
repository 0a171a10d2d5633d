import type { OutgoingCommand } from '../../packages/kit/messages/contract.js';
import {
  compensationIdOf,
  decide,
  type Saga,
  type SagaMessage,
  SagaRefused,
  stepIdOf,
} from '../../packages/kit/saga/saga.js';
import { evolve, initialState, type SagaState } from '../../packages/kit/saga/state.js';

/** Position of a saga in the picture: its status, and the step that it waits for. */
export interface Place {
  readonly status: SagaState<unknown>['status'];
  /** Absent before the beginning and after the end. */
  readonly step: string | undefined;
}

/** Transition from one place to another. */
export interface Move {
  readonly from: Place;
  readonly on: 'started' | 'done' | 'refused' | 'unanswered' | 'cancelled' | 'retried' | 'resolved';
  /** Steps that were skipped, forwards or in the compensation, since there was nothing to do. */
  readonly without: readonly string[];
  readonly to: Place;
}

/** Command that is sent while nobody answers, with its retries. */
export interface Silence {
  readonly at: Place;
  readonly command: OutgoingCommand;
  /** Times of sending, in seconds after the first time. */
  readonly sentAfter: readonly number[];
  /** Time of giving up, in seconds after the first time. */
  readonly givenUpAfter: number;
}

export interface Play {
  readonly moves: readonly Move[];
  readonly silences: readonly Silence[];
}

interface Moment<Data> {
  readonly state: SagaState<Data>;
  /** Time as ISO 8601, in UTC. */
  readonly now: string;
  readonly commands: readonly OutgoingCommand[];
}

const ID = 'saga';
const BEGINNING = '2026-01-01T00:00:00.000Z';

/**
 * Finds every path of a saga. It plays the saga's own `decide` and `evolve` breadth first, from the beginning of each
 * sample, with each message that the saga may receive at each place. No path is listed by hand.
 * @param samples saga data; for each optional step one sample with it and one without
 * @throws {Error} if no sample skips an optional step, or none needs it
 */
export function play<Data>(saga: Saga<Data>, samples: readonly Data[]): Play {
  for (const { name, isNeeded } of saga.steps) {
    if (isNeeded && new Set(samples.map(isNeeded)).size < 2) {
      throw new Error(`no two samples differ in whether '${name}' is needed`);
    }
  }
  const moves = new Map<string, Move>();
  const silences = new Map<string, Silence>();
  for (const data of samples) {
    const seen = new Set<string>();
    const queue: Moment<Data>[] = [{ state: initialState, now: BEGINNING, commands: [] }];
    for (let moment = queue.shift(); moment; moment = queue.shift()) {
      for (const on of MESSAGES) {
        const after =
          on === 'unanswered'
            ? wait(saga, moment, silences)
            : handleMessage(saga, moment, buildMessage(moment, on, data));
        const move = after && toMove(saga, moment, on, after);
        if (!move) continue;
        moves.set([keyOf(move.from), on, ...move.without, keyOf(move.to)].join(), move);
        const past = serializeState(after.state);
        if (!seen.has(past)) queue.push(after);
        seen.add(past);
      }
    }
  }
  return { moves: [...moves.values()], silences: [...silences.values()] };
}

const MESSAGES: readonly Move['on'][] = [
  'started',
  'done',
  'refused',
  'unanswered',
  'cancelled',
  'retried',
  'resolved',
];

export const keyOf = ({ status, step }: Place): string => (step === undefined ? status : `${status} ${step}`);

function toPlace(state: SagaState<unknown>): Place {
  return { status: state.status, step: 'waiting' in state ? state.waiting.step : undefined };
}

/** Serializes everything in a state that its future depends on, except time. */
const serializeState = (state: SagaState<unknown>): string =>
  JSON.stringify([
    toPlace(state),
    'toUndo' in state ? state.toUndo : undefined,
    'ending' in state ? state.ending : undefined,
  ]);

function buildMessage<Data>({ state }: Moment<Data>, on: Move['on'], data: Data): SagaMessage<Data> | undefined {
  const { status, step } = toPlace(state);
  switch (on) {
    case 'started':
      return { type: 'Start', data };
    case 'done':
    case 'refused': {
      if (step === undefined) return undefined;
      const stepId = status === 'RUNNING' ? stepIdOf(ID, step) : compensationIdOf(ID, step);
      return { type: 'Reply', stepId, outcome: on === 'done' ? 'DONE' : 'REFUSED' };
    }
    case 'cancelled':
      return { type: 'Cancel' };
    case 'retried':
      return { type: 'Retry' };
    case 'resolved':
      return { type: 'Resolve', step: step ?? '', by: 'operator', note: 'by hand' };
    case 'unanswered':
      return { type: 'Timeout', number: state.timers };
  }
}

function handleMessage<Data>(
  saga: Saga<Data>,
  moment: Moment<Data>,
  message: SagaMessage<Data> | undefined,
): Moment<Data> | undefined {
  if (!message) return undefined;
  try {
    const { events, commands } = decide(saga, ID, moment.state, message, moment.now);
    if (events.length === 0) return undefined;
    return { state: events.reduce(evolve<Data>, moment.state), now: moment.now, commands };
  } catch (error) {
    if (error instanceof SagaRefused) return undefined;
    throw error;
  }
}

/** Lets timeouts fire until the saga moves to another place or has no timeout any more. */
function wait<Data>(saga: Saga<Data>, begin: Moment<Data>, silences: Map<string, Silence>): Moment<Data> | undefined {
  const { state } = begin;
  if (!('waiting' in state) || state.timerAt === undefined) return undefined;
  const at = toPlace(state);
  const [command] = begin.commands;
  const since = Date.parse(state.waiting.since);
  const sentAfter = [0];
  for (let moment = begin; moment.state.timerAt !== undefined; ) {
    const now = moment.state.timerAt > moment.now ? moment.state.timerAt : moment.now;
    const after = handleMessage(saga, { ...moment, now }, { type: 'Timeout', number: moment.state.timers });
    if (!after) return undefined;
    const seconds = (Date.parse(now) - since) / 1000;
    if (keyOf(toPlace(after.state)) !== keyOf(at)) {
      if (command) silences.set(keyOf(at), { at, command, sentAfter, givenUpAfter: seconds });
      return after;
    }
    if (after.commands.length > 0) sentAfter.push(seconds);
    moment = after;
  }
  return undefined;
}

function toMove<Data>(
  { steps }: Saga<Data>,
  before: Moment<Data>,
  on: Move['on'],
  after: Moment<Data>,
): Move | undefined {
  const [from, to] = [toPlace(before.state), toPlace(after.state)];
  if (keyOf(from) === keyOf(to)) return undefined;
  const indexOf = (step: string | undefined, otherwise: number) =>
    step === undefined ? otherwise : steps.findIndex(({ name }) => name === step);
  const at = indexOf(from.step, -1);
  const isForward = to.status === 'RUNNING' || to.status === 'COMPLETED';
  const passed = isForward
    ? steps.slice(at + 1, indexOf(to.step, steps.length))
    : steps.slice(indexOf(to.step, -1) + 1, Math.max(at, 0)).filter(({ compensatingCommand: undo }) => undo);
  return { from, on, without: passed.map(({ name }) => name), to };
}
