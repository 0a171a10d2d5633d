import type { Cloud, Deployment } from '../cloud/cloud.js';
import { Calm, CONDITIONS, playCalm } from './calm.js';
import { findDeadLetterQueues, listLosses, readEndState } from './end-state.js';
import type { Stimulus } from './recorded-requests.js';
import type { Scenario, Violation } from './scenario.js';
import { AppDoesNotAnswer, sendAll } from './send-requests.js';

/** Promises that every app of messages makes, in words for people. */
export const PROMISES = {
  answers: 'each request is answered as without faults',
  losses: 'no message is lost silently',
  sent: 'each event and message is sent as without faults',
  queues: 'each queue is emptied, or its dead-letter queue has the message',
  tables: 'the tables end as without faults',
  repeats: 'the same request twice leaves the same tables',
} as const;

/** Histories in which a repeated request must change the tables: a change that not all of them have is chance. */
const REPETITIONS = 3;
/** Differences that a violation names. */
const NAMED = 4;

/** A scenario of recorded requests, and what was found before any fault. */
export interface Oracle {
  readonly scenario: Scenario;
  /** Attributes that are not compared, since they differ without any fault, or when work is only late. */
  readonly leftOut: readonly string[];
  /** Requests that break a promise when they are repeated. */
  readonly repeats: readonly Violation[];
  /** Requests that the app refuses even without faults, as `POST /orders -> 401`. */
  readonly refused: readonly string[];
  /** Hosts outside of AWS that functions call and that have no model: requests to them fail in each history. */
  readonly unknownHosts: readonly string[];
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
  const { plays, leftOut } = calm;
  const [{ refused }] = plays;
  if (refused.length >= requests.length)
    throw new AppDoesNotAnswer(`the app refuses every request even without faults:\n  ${refused.join('\n  ')}`);
  const scenario: Scenario = {
    name,
    conditions: CONDITIONS,
    // Nothing but a transaction holds an item.
    impossible: plays.some((play) => play.hasTransactions) ? [] : ['conflict'],
    play: async (cloud) => judge(cloud, calm, await sendAll(cloud, requests), requests),
  };
  const repeats = await findRepeats(deployment, requests, calm);
  const unknownHosts = [...new Set(plays.flatMap((play) => play.unknownHosts))];
  return { scenario, leftOut, repeats, refused, unknownHosts };
}

/** Returns the labels of queues that a function reads. */
const findConsumedQueues = ({ queues, deployment: { assembly } }: Cloud): ReadonlySet<string> =>
  new Set(
    assembly
      .findByType('AWS::Lambda::EventSourceMapping')
      .flatMap(({ properties }) => queues.get(String(properties.EventSourceArn))?.label ?? []),
  );

function judge(
  cloud: Cloud,
  calm: Calm,
  statuses: readonly number[],
  requests: readonly Stimulus[],
): readonly Violation[] {
  const state = readEndState(cloud);
  const baseline = calm.baselineOf(state);
  const deadLetters = findDeadLetterQueues(cloud);
  const waits = [...deadLetters].some((queue) => baseline.hasMore(queue, state));
  const answers = requests.flatMap(({ name }, at) => {
    const [before, now] = [calm.statusesOf(at), statuses[at] ?? 0];
    const isUsual = before.some((status) => Math.floor(status / 100) === Math.floor(now / 100));
    return isUsual ? [] : [`${name} -> ${now}, without faults ${before.join(' or ')}`];
  });
  const losses = listLosses(cloud, deadLetters);
  // A queue that nobody reads here may have a message twice: that is for its reader.
  const consumed = findConsumedQueues(cloud);
  const queues = Object.entries(state.queues)
    .filter(([queue, messages]) => consumed.has(queue) && messages > baseline.messages(queue))
    .map(([queue, messages]) => `${queue} has ${messages} messages, without faults ${baseline.messages(queue)}`);
  // A message that waits for an operator, in a dead-letter queue or where a function has brought it from there, isn't in the tables yet.
  const tables = waits ? [] : baseline.differences(state);
  const sent = waits ? [] : baseline.unsent(state);
  return Object.entries({ answers, losses, sent, queues, tables }).flatMap(([promise, found]) =>
    found.length === 0 ? [] : [{ invariant: PROMISES[promise as keyof typeof PROMISES], detail: shorten(found) }],
  );
}

const shorten = (found: readonly string[]): string =>
  [...found.slice(0, NAMED), ...(found.length > NAMED ? [`and ${found.length - NAMED} more`] : [])].join('\n');

/** Sends each request a second time, without faults, and compares the tables. */
async function findRepeats(
  deployment: Deployment,
  requests: readonly Stimulus[],
  calm: Calm,
): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  for (const [at, request] of requests.entries()) {
    if ('method' in request && ['GET', 'HEAD'].includes(request.method)) continue;
    const twice = [...requests.slice(0, at + 1), request, ...requests.slice(at + 1)];
    let differences: readonly string[] = [];
    for (let time = 0; time === 0 || (time < REPETITIONS && differences.length > 0); time++)
      differences = await findDifferences(deployment, twice, calm, `repeated ${at}, ${time}`);
    if (differences.length > 0)
      found.push({ invariant: PROMISES.repeats, detail: `${request.name}, sent twice:\n${shorten(differences)}` });
  }
  return found;
}

/** Says what differs after requests without faults. An app that fails by them differs, too. */
async function findDifferences(
  deployment: Deployment,
  requests: readonly Stimulus[],
  calm: Calm,
  seed: string,
): Promise<readonly string[]> {
  try {
    const [state] = (await playCalm(deployment, requests, { name: 'repeated requests', seed })).states;
    return calm.baselineOf(state).differences(state);
  } catch (error) {
    if (error instanceof AppDoesNotAnswer) return [error.message];
    throw error;
  }
}
