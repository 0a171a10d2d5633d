import type { Cloud, Deployment } from '../cloud/cloud.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import { Baseline, type EndState, findDeadLetterQueues, readEndState } from './end-state.js';
import type { Stimulus } from './recorded-requests.js';
import { playWithFaults, type Scenario, type Violation } from './scenario.js';
import { doStep } from './steps.js';
import { fillTokens } from './tokens.js';

/** An app that doesn't answer its recorded requests even without faults: no fault could be found in it. */
export class AppDoesNotAnswer extends Error {
  override readonly name = 'AppDoesNotAnswer';
}

/** Promises that every app of messages makes, in words for people. */
export const PROMISES = {
  answers: 'each request is answered as without faults',
  losses: 'no message is lost silently',
  sent: 'each event and message is sent as without faults',
  queues: 'each queue is emptied, or its dead-letter queue has the message',
  tables: 'the tables end as without faults',
  repeats: 'the same request twice leaves the same tables',
} as const;

/** Tries of a client, which asks again after a 429, a 5xx, or no answer. */
const TRIES = 6;
const FIRST_PAUSE = 500;
/** Seeds of calm histories. What differs between them is chance. */
const CALM = ['calm 1', 'calm 2', 'calm 3'];
/** Histories without faults in a row that show nothing new, and the most that are played. */
const ALIKE = 6;
const MOST_CALM = 20;
/** A transaction that writes, in the trace of a history. */
const TRANSACTION = /\b(TransactWriteItems|ExecuteTransaction)\b/i;
/** Characters of a refusal that are shown. */
const LINE = 200;
/** Begin of the histories: far from midnight, since clocks that differ by a second would put items under another day. */
const MORNING = Date.UTC(2026, 0, 5, 10);
/** Calm histories begin at several times, so that a time in whole seconds or hours differs between them too. An hour, and some more. */
const LATER = 4_023_000;
const BEGINNINGS = 3;
/** Differences that a violation names. */
const NAMED = 4;

/** A scenario of recorded requests, and what was found before any fault. */
export interface Oracle {
  readonly scenario: Scenario;
  /** Attributes that are not compared, since they differ without any fault. */
  readonly leftOut: readonly string[];
  /** Requests that break a promise when they are repeated. */
  readonly repeats: readonly Violation[];
  /** Requests that the app refuses even without faults, as `POST /orders -> 401`. */
  readonly refused: readonly string[];
  /** Hosts outside of AWS that functions call and that have no model: requests to them fail in each history. */
  readonly unknownHosts: readonly string[];
}

interface Played {
  /** Requests that were refused, as `POST /orders -> 401 {"message":"Unauthorized"}`. */
  readonly refused: readonly string[];
  readonly unknownHosts: readonly string[];
  /** Whether a transaction was made that writes. */
  readonly hasTransactions: boolean;
  readonly state: EndState;
  readonly statuses: readonly number[];
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
  const plays = await playCalmly(deployment, requests);
  const [calm] = plays as [Played, ...Played[]];
  const baseline = new Baseline(plays.map(({ state }) => state));
  const scenario: Scenario = {
    name,
    conditions: { begins: MORNING },
    // Nothing but a transaction holds an item.
    impossible: plays.some((play) => play.hasTransactions) ? [] : ['conflict'],
    play: async (cloud) => judge(cloud, baseline, plays, await sendAll(cloud, requests), requests),
  };
  const { refused } = calm;
  if (refused.length >= requests.length)
    throw new AppDoesNotAnswer(`the app refuses every request even without faults:\n  ${refused.join('\n  ')}`);
  const repeats = await findRepeats(deployment, requests, baseline);
  const unknownHosts = [...new Set(plays.flatMap((play) => play.unknownHosts))];
  return { scenario, leftOut: baseline.leftOut, repeats, refused, unknownHosts };
}

/**
 * Plays requests without faults by several seeds, until some histories in a row show nothing new: what an app decides by chance, as a
 * payment that is refused now and then, is in few of them.
 * @throws {AppDoesNotAnswer}
 */
async function playCalmly(deployment: Deployment, requests: readonly Stimulus[]): Promise<readonly Played[]> {
  const plays: Played[] = [];
  for (const [at, seed] of CALM.entries()) plays.push(await playCalm(deployment, requests, seed, MORNING + at * LATER));
  let baseline = new Baseline(plays.map(({ state }) => state));
  for (let number = CALM.length + 1, alike = 0; alike < ALIKE && number <= MOST_CALM; number++) {
    const begins = MORNING + (number % BEGINNINGS) * LATER;
    const play = await playCalm(deployment, requests, `calm ${number}`, begins);
    alike++;
    if (baseline.holds(play.state) && findOtherAnswers(plays, play.statuses, requests).length === 0) continue;
    plays.push(play);
    baseline = new Baseline(plays.map(({ state }) => state));
    alike = 0;
  }
  return plays;
}

/** Lists answers whose class no history without faults has. */
const findOtherAnswers = (
  calm: readonly Played[],
  statuses: readonly number[],
  requests: readonly Stimulus[],
): readonly string[] =>
  requests.flatMap(({ name }, at) => {
    const classOf = (all: readonly number[]): number => Math.floor((all[at] ?? 0) / 100);
    if (calm.some((one) => classOf(one.statuses) === classOf(statuses))) return [];
    return [`${name} -> ${statuses[at] ?? 0}, without faults ${calm[0]?.statuses[at] ?? 0}`];
  });

/** Plays requests without faults. @throws {AppDoesNotAnswer} */
async function playCalm(
  deployment: Deployment,
  requests: readonly Stimulus[],
  seed: string,
  begins = MORNING,
): Promise<Played> {
  let played: Played | undefined;
  const scenario: Scenario = {
    name: 'without faults',
    conditions: { begins },
    play: async (cloud) => {
      const statuses = await sendAll(cloud, requests);
      played = {
        statuses,
        state: readEndState(cloud),
        unknownHosts: [...cloud.thirdParties.unknownHosts],
        refused: listRefused(cloud),
        hasTransactions: cloud.world.trace.lines.some((line) => TRANSACTION.test(line)),
      };
      const [lost] = listLosses(cloud, findDeadLetterQueues(cloud));
      if (lost !== undefined)
        throw new AppDoesNotAnswer(
          `the app loses a message even without faults: ${lost}${firstError(cloud)}${adviseOutside(cloud)}`,
        );
      const at = played.statuses.findIndex((status) => status === 0 || status >= 500);
      if (at < 0) return [];
      const answer = played.statuses[at] === 0 ? 'no answer' : String(played.statuses[at]);
      throw new AppDoesNotAnswer(
        `the app doesn't answer even without faults: ${requests[at]?.name} -> ${answer}${firstError(cloud)}${adviseOutside(cloud)}`,
      );
    },
  };
  const { violations } = await playWithFaults(deployment, scenario, seed);
  if (violations[0]) throw new AppDoesNotAnswer(violations[0].detail.split('\n')[0]);
  return played as Played;
}

const firstError = ({ log, world }: Cloud): string => {
  const logged = log.find(({ level }) => level === 'error')?.text;
  const denied = /DENIED .*$/.exec(world.trace.lines.find((line) => line.includes(' DENIED ')) ?? '')?.[0];
  return `; first error: ${logged ?? denied ?? 'its functions have logged none'}`;
};

/** Lists the answers of a history that are refusals, from its trace. */
const listRefused = ({ world }: Cloud): readonly string[] =>
  world.trace.lines.flatMap((line) => /^\S+ client (.* -> 4\d\d.*)$/.exec(line)?.[1]?.slice(0, LINE) ?? []);

const adviseOutside = ({ thirdParties: { unknownHosts } }: Cloud): string =>
  unknownHosts.size === 0 ? '' : `; ${describeUnknownHosts([...unknownHosts])}`;

/** Says which hosts have no model, and how they get one. */
export const describeUnknownHosts = (hosts: readonly string[]): string =>
  `functions call ${hosts.join(', ')}, which nobody has modelled, so these requests fail; --outside <module> models them`;

/** Returns the labels of queues that a function reads. */
const findConsumedQueues = ({ queues, deployment: { assembly } }: Cloud): ReadonlySet<string> =>
  new Set(
    assembly
      .findByType('AWS::Lambda::EventSourceMapping')
      .flatMap(({ properties }) => queues.get(String(properties.EventSourceArn))?.label ?? []),
  );

/** Lists messages that nobody will get any more. */
const listLosses = ({ world, queues }: Cloud, deadLetters: ReadonlySet<string>): readonly string[] => [
  ...world.trace.lines.filter((line) => /\bLOST\b/.test(line)),
  ...[...queues.values()].flatMap(({ label, fates }) =>
    fates
      .filter(({ fate }) => fate === 'expired' && !deadLetters.has(label))
      .map(() => `a message of ${label} expired`),
  ),
];

/** Sends the requests one after the other, as a client that asks again until an answer is final. @returns the status of each, 0 for none */
async function sendAll(cloud: Cloud, requests: readonly Stimulus[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const request of requests) {
    let status: number | undefined;
    const attempt = (tries: number): void => {
      cloud.world.note(`client ${request.name}`);
      ask(cloud, request, (answer) => {
        cloud.world.note(`client ${request.name} -> ${answer.status}${answer.status >= 400 ? ` ${answer.body}` : ''}`);
        const isFinal = answer.status < 500 && answer.status !== 429;
        if (isFinal || tries >= TRIES) status = answer.status;
        else cloud.world.after(FIRST_PAUSE * 2 ** tries, () => attempt(tries + 1));
      });
    };
    attempt(1);
    await cloud.world.until(() => status !== undefined);
    statuses.push(status ?? 0);
  }
  await cloud.world.settle();
  return statuses;
}

function ask(cloud: Cloud, stimulus: Stimulus, then: (answer: Pick<ApiResponse, 'status' | 'body'>) => void): void {
  if ('step' in stimulus) doStep(cloud, stimulus.step, then);
  else findApi(cloud, stimulus).request(fillTokens(cloud, stimulus), then);
}

/** Finds the API that has a route for a request; without any, the first one refuses it. @throws {AppDoesNotAnswer} */
function findApi({ apis }: Cloud, request: ApiRequest): Cloud['apis'][number] {
  const found = apis.find((api) => api.findRoute(request.method, request.path)) ?? apis[0];
  if (!found)
    throw new AppDoesNotAnswer(
      'the assembly has no API, so no request can be sent: begin its work by steps (docs/search.md), or write a scenario',
    );
  return found;
}

function judge(
  cloud: Cloud,
  baseline: Baseline,
  calm: readonly Played[],
  statuses: readonly number[],
  requests: readonly Stimulus[],
): readonly Violation[] {
  const state = readEndState(cloud);
  const deadLetters = findDeadLetterQueues(cloud);
  const waits = [...deadLetters].some((queue) => (state.queues[queue] ?? 0) > baseline.messages(queue));
  const answers = findOtherAnswers(calm, statuses, requests);
  const losses = listLosses(cloud, deadLetters);
  // A queue that nobody reads here may have a message twice: that is for its reader.
  const consumed = findConsumedQueues(cloud);
  const queues = Object.entries(state.queues)
    .filter(([queue, messages]) => consumed.has(queue) && messages > baseline.messages(queue))
    .map(([queue, messages]) => `${queue} has ${messages} messages, without faults ${baseline.messages(queue)}`);
  // What waits for an operator in a dead-letter queue isn't in the tables yet.
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
  baseline: Baseline,
): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  for (const [at, request] of requests.entries()) {
    if ('method' in request && ['GET', 'HEAD'].includes(request.method)) continue;
    const twice = [...requests.slice(0, at + 1), request, ...requests.slice(at + 1)];
    const differences = await findDifferences(deployment, twice, baseline, `${CALM[0]}, repeated ${at}`);
    if (differences.length > 0)
      found.push({ invariant: PROMISES.repeats, detail: `${request.name}, sent twice:\n${shorten(differences)}` });
  }
  return found;
}

/** Says what differs after requests without faults. An app that fails by them differs, too. */
async function findDifferences(
  deployment: Deployment,
  requests: readonly Stimulus[],
  baseline: Baseline,
  seed: string,
): Promise<readonly string[]> {
  try {
    return baseline.differences((await playCalm(deployment, requests, seed)).state);
  } catch (error) {
    if (error instanceof AppDoesNotAnswer) return [error.message];
    throw error;
  }
}
