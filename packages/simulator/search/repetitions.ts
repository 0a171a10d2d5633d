import type { Cloud, Deployment } from '../cloud/cloud.js';
import { type Calm, CONDITIONS, requireAnswers } from './calm.js';
import { readEndState } from './end-state.js';
import { type BrokenHistory, describeBroken } from './findings.js';
import { PROMISES, shorten } from './promises.js';
import { type History, playWithFaults, type Scenario } from './scenario.js';
import { AppDoesNotAnswer, sendAll } from './send-requests.js';
import type { Stimulus } from './stimulus.js';

/** Histories in which a repeated request must change the tables: a change that not all of them have is chance. */
const REPETITIONS = 3;
/** Lines of a history on one screen. */
const SCREEN = 24;

/** A scenario in which a request is sent twice. */
export interface Repetition {
  readonly scenario: Scenario;
  /** Name of the request. */
  readonly request: string;
  /** Requests with this name that are sent before the repeated one. */
  readonly before: number;
}

/** Makes a scenario for each request that changes something: it is sent twice, without faults, and the tables must end as if it was sent once. */
export const makeRepetitions = (requests: readonly Stimulus[], calm: Calm): readonly Repetition[] =>
  requests.flatMap((request, at) => {
    if ('step' in request ? 'wait' in request.step : ['GET', 'HEAD'].includes(request.method)) return [];
    const twice = [...requests.slice(0, at + 1), request, ...requests.slice(at + 1)];
    const play = async (cloud: Cloud) => {
      const differences = await findDifferences(cloud, twice, at + 1, calm);
      const detail = `${request.name}, sent twice:\n${shorten(differences)}`;
      return differences.length === 0 ? [] : [{ invariant: PROMISES.repeats, detail }];
    };
    const scenario = { name: `request ${at + 1} twice: ${request.name}`, conditions: CONDITIONS, play };
    const before = requests.slice(0, at + 1).filter(({ name }) => name === request.name).length;
    return [{ scenario, request: request.name, before }];
  });

/**
 * Says what differs after requests without faults: tables, a message that is lost, or an answer that is none. A function that a step invokes refuses
 * a repetition by an error, since it has no status.
 */
async function findDifferences(
  cloud: Cloud,
  requests: readonly Stimulus[],
  repeated: number,
  calm: Calm,
): Promise<readonly string[]> {
  const sent = await sendAll(cloud, requests);
  const refuses = 'step' in (requests[repeated] as Stimulus);
  try {
    requireAnswers(cloud, requests, refuses ? sent.with(repeated, { status: 400 }) : sent);
  } catch (error) {
    if (error instanceof AppDoesNotAnswer) return [error.message];
    throw error;
  }
  const state = readEndState(cloud);
  return calm.baselineOf(state).differences(state);
}

/** Plays each repetition. @returns one history of each that always breaks its promise */
export async function findRepeats(
  deployment: Deployment,
  repetitions: readonly Repetition[],
): Promise<readonly BrokenHistory[]> {
  const found: BrokenHistory[] = [];
  for (const repetition of repetitions) {
    const histories: History[] = [];
    for (let time = 0; time < REPETITIONS; time++) {
      const history = await playWithFaults(deployment, repetition.scenario, `calm ${time + 1}`);
      if (history.violations.length === 0) break;
      histories.push(history);
    }
    const [first] = histories;
    if (first && histories.length === REPETITIONS) found.push(describeRepeat(repetition, first));
  }
  return found;
}

/** Describes a history from its repeated request on. */
function describeRepeat({ request, before }: Repetition, history: History): BrokenHistory {
  const { trace } = history;
  const sent = trace.flatMap((line, at) => (line.endsWith(` client ${request}`) ? [at] : []));
  const begin = sent[before] ?? 0;
  return {
    ...describeBroken(history, false),
    cause: 'A client that repeats its request, since its answer was lost, does this.',
    lines: trace.slice(begin, begin + SCREEN),
  };
}
