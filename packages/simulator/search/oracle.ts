import type { Cloud, Deployment } from '../cloud/cloud.js';
import { Calm, CONDITIONS } from './calm.js';
import { findDeadLetterQueues, findReadQueues, listLosses, readEndState } from './end-state.js';
import type { BrokenHistory } from './findings.js';
import { PROMISES, shorten } from './promises.js';
import { findRepeats, makeRepetitions, type Repetition } from './repetitions.js';
import type { Scenario, Violation } from './scenario.js';
import { AppDoesNotAnswer, type Sent, sendAll } from './send-requests.js';
import type { Stimulus } from './stimulus.js';

/** A scenario of recorded requests, and what was found before any fault. */
export interface Oracle {
  readonly scenario: Scenario;
  /** Attributes that are not compared, since they differ without any fault. */
  readonly leftOut: readonly string[];
  /** Those that differ when work is only late, with their values. */
  readonly lateOnes: readonly string[];
  /** Functions that the requests don't reach. */
  readonly unreached: readonly string[];
  /** Scenarios in which a request is sent twice, without faults. */
  readonly repetitions: readonly Repetition[];
  /** Histories of these that break a promise. */
  readonly repeats: readonly BrokenHistory[];
  /** Requests that the app refuses even without faults, as `POST /orders -> 401`. */
  readonly refused: readonly string[];
  /** Dead-letter queues that get messages even without faults, with their number and the first error. */
  readonly parked: readonly string[];
  /** Hosts outside of AWS that functions call and that have no model: requests to them fail in each history. */
  readonly unknownHosts: readonly string[];
  /** Buses of other accounts that get events, which end there. */
  readonly outsideBuses: readonly string[];
}

/**
 * Makes a scenario of recorded requests, whose promises need no code: `PROMISES`. It plays the requests without faults first, and compares
 * each later history with that. It sees what is in tables and queues and the answers of the client. It doesn't see effects that leave no trace
 * there, such as an e-mail or a charge at a host outside.
 * @throws {AppDoesNotAnswer}
 */
export async function makeOracle(
  deployment: Deployment,
  requests: readonly Stimulus[],
  name = 'recorded requests',
): Promise<Oracle> {
  const calm = await Calm.play(deployment, requests, name);
  const { plays, leftOut, lateOnes, unreached } = calm;
  const [{ refused, statuses, parked }] = plays;
  if (areRefused(requests, statuses))
    throw new AppDoesNotAnswer(`the app refuses every request even without faults:\n  ${refused.join('\n  ')}`);
  const scenario: Scenario = {
    name,
    conditions: CONDITIONS,
    // Nothing but a transaction holds an item.
    impossible: plays.some((play) => play.hasTransactions) ? [] : ['conflict'],
    play: async (cloud) => judge(cloud, calm, await sendAll(cloud, requests), requests),
  };
  const repetitions = makeRepetitions(requests, calm);
  const repeats = await findRepeats(deployment, repetitions);
  const ofAll = (of: 'unknownHosts' | 'outsideBuses') => [...new Set(plays.flatMap((play) => play[of]))];
  const [unknownHosts, outsideBuses] = [ofAll('unknownHosts'), ofAll('outsideBuses')];
  return { scenario, leftOut, lateOnes, unreached, repetitions, repeats, refused, parked, unknownHosts, outsideBuses };
}

/** Whether every request is refused. Steps that AWS itself answers, as a `put`, count only where nothing else is asked. */
function areRefused(requests: readonly Stimulus[], statuses: readonly number[]): boolean {
  const statusesOf = (isMeant: (stimulus: Stimulus) => boolean) =>
    statuses.filter((_, at) => isMeant(requests[at] as Stimulus));
  const byApp = statusesOf((stimulus) => !('step' in stimulus) || 'invoke' in stimulus.step);
  const counted = byApp.length > 0 ? byApp : statusesOf((stimulus) => !('step' in stimulus && 'wait' in stimulus.step));
  return counted.every((status) => status >= 400);
}

function judge(cloud: Cloud, calm: Calm, sent: readonly Sent[], requests: readonly Stimulus[]): readonly Violation[] {
  const state = readEndState(cloud);
  const baseline = calm.baselineOf(state);
  const deadLetters = findDeadLetterQueues(cloud);
  const waits = [...deadLetters].some((queue) => baseline.hasMore(queue, state));
  const answers = requests.flatMap(({ name }, at) => {
    const { status, missing } = sent[at] as Sent;
    const before = calm.statusesOf(at);
    if (before.some((usual) => Math.floor(usual / 100) === Math.floor(status / 100))) return [];
    const now = missing === undefined ? `-> ${status}` : `can't be sent: ${missing}`;
    return [`${name} ${now}, without faults ${before.join(' or ')}`];
  });
  const losses = listLosses(cloud, deadLetters);
  // A queue that nobody reads here may have a message twice: that is for its reader.
  const consumed = findReadQueues(cloud);
  const queues = Object.entries(state.queues)
    .filter(([queue, messages]) => consumed.has(queue) && messages > baseline.messages(queue))
    .map(([queue, messages]) => `${queue} has ${messages} messages, without faults ${baseline.messages(queue)}`);
  // A message that waits for an operator, in a dead-letter queue or where a function has brought it from there, isn't in the tables yet.
  const tables = waits ? [] : baseline.differences(state);
  const unsent = waits ? [] : baseline.unsent(state);
  return Object.entries({ answers, losses, sent: unsent, queues, tables }).flatMap(([promise, found]) =>
    found.length === 0 ? [] : [{ invariant: PROMISES[promise as keyof typeof PROMISES], detail: shorten(found) }],
  );
}
