import type { Cloud, Deployment } from '../cloud/cloud.js';
import type { Fault, FaultKind } from '../engine/faults.js';
import { Random } from '../engine/random.js';
import { isProviderOnly } from '../runtime/function-code.js';
import { Baseline } from './baseline.js';
import { type EndState, findDeadLetterQueues, listLosses, readEndState, readSources } from './end-state.js';
import { describeErrorOfLoss, describeErrorOfRequest, describeFirstError } from './first-error.js';
import { playWithFaults, type Scenario } from './scenario.js';
import { AppDoesNotAnswer, type Sent, sendAll } from './send-requests.js';
import { SINGLES } from './singles.js';
import type { Stimulus } from './stimulus.js';

/** Fewest and most calm histories. More than the fewest are played as long as they differ from those before. */
const [FEWEST, MOST] = [3, 20];
/** Histories in a row that must show nothing new: what an app decides by chance, as a payment that is refused now and then, is in few of them. */
const NOTHING_NEW = 6;
/** A transaction that writes, in the trace of a history. */
const TRANSACTION = /\b(TransactWriteItems|ExecuteTransaction)\b/i;
/** Characters of a refusal that are shown. */
const LINE = 200;
/** Values of an attribute that a report shows, and characters of each. */
const [VALUES, VALUE] = [3, 40];
/** Begin of the histories: far from midnight, since clocks that differ by a second would put items under another day. */
const MORNING = Date.UTC(2026, 0, 5, 10);
/** Calm histories begin at several times, so that a time in whole seconds or hours differs between them too. An hour, and some more. */
const LATER = 4_023_000;
const BEGINNINGS = 3;
const SIX_DAYS = 6 * 86_400_000;
/**
 * Milliseconds for which a calm history continues after everything has come to rest, each after the one before. A fault makes a history longer, and what
 * schedules do meanwhile is no difference: by most faults minutes, by the latest duplicates five days, by a message
 * that no function can take 14 days at most, and by a notification that SNS can't deliver 23. Days are long, so few histories continue for them.
 */
const LONGER = [0, 20 * 60_000, SIX_DAYS, 20 * 86_400_000];
const LONG_HISTORIES = 2;
/** Number of parts of the other histories. */
const SHORT = 2;

/**
 * Faults by which work is only late: nothing of it took effect before. What such a history ends with is no difference, and tells which attributes
 * recovery writes: a number of attempts, a lease, a message that was parked.
 */
const LATENESS: readonly FaultKind[] = ['crashed', 'delayed', 'undeliverable-at-first'];
/** Late histories: how many at most, how many in a row must show nothing new, and the share of all such faults that happen in each. */
const LATE = { most: 16, nothingNew: 4, shares: [0.1, 0.3] };

/** Conditions of the histories that are compared. */
export const CONDITIONS: NonNullable<Scenario['conditions']> = { begins: MORNING };

/** A history without faults. */
export interface CalmPlay {
  /** Requests that were refused, as `POST /orders -> 401 {"message":"Unauthorized"}`. */
  readonly refused: readonly string[];
  readonly unknownHosts: readonly string[];
  /** ARNs of buses of other accounts that got events. */
  readonly outsideBuses: readonly string[];
  /** Dead-letter queues that have messages, each with their number and the first error, as `Shop/Failed (3 messages; first error: ...)`. */
  readonly parked: readonly string[];
  /** Functions that were not invoked. */
  readonly unreached: readonly string[];
  /** Whether a transaction was made that writes. */
  readonly hasTransactions: boolean;
  /** Status of the answer to each request, 0 for none. */
  readonly statuses: readonly number[];
  /** Its state when everything has come to rest, and after each time that it continued. */
  readonly states: readonly [EndState, ...EndState[]];
  /** Faults by which it could be late. */
  readonly lateness: readonly Fault[];
}

/** Histories of an app without faults. Single faults are put into the first of them. */
export class Calm {
  private readonly baselines: readonly Baseline[];

  private constructor(
    readonly plays: readonly [CalmPlay, ...CalmPlay[]],
    private readonly late: readonly EndState[] = [],
  ) {
    this.baselines = LONGER.map(
      (_, longest) =>
        new Baseline(
          plays.flatMap(({ states }) => states.slice(0, longest + 1)),
          late,
        ),
    );
  }

  /**
   * Plays requests without faults, with other latencies each time, until nothing new differs.
   * @param name of the scenario
   * @throws {AppDoesNotAnswer}
   */
  static async play(deployment: Deployment, requests: readonly Stimulus[], name: string): Promise<Calm> {
    const play = (number: number) =>
      playCalm(deployment, requests, {
        name,
        seed: number === 1 ? SINGLES : `calm ${number}`,
        begins: MORNING + ((number - 1) % BEGINNINGS) * LATER,
        longer: LONGER.slice(0, number > LONG_HISTORIES ? SHORT : lastsWeeks(deployment) ? LONGER.length : -1),
      });
    let calm = new Calm([await play(1)]);
    for (let number = 2, same = 0; number <= MOST && (number <= FEWEST || same < NOTHING_NEW); number++) {
      const next = new Calm([...calm.plays, await play(number)]);
      same = next.isLike(calm) ? same + 1 : 0;
      calm = next;
    }
    return calm.learnLateness(deployment, requests, name);
  }

  /** Plays histories in which work is only late, until nothing new differs. */
  private async learnLateness(deployment: Deployment, requests: readonly Stimulus[], name: string): Promise<Calm> {
    let calm: Calm = this;
    const random = new Random('lateness');
    const possible = random.shuffle([...this.plays[0].lateness]);
    if (possible.length === 0) return this;
    for (let number = 0, same = 0; number < LATE.most && same < LATE.nothingNew; number++) {
      const share = LATE.shares[number % LATE.shares.length] ?? 0;
      // One at least: of another construct each time, where there are few.
      const faults = possible.filter((_, at) => random.chance(share) || at === number % possible.length);
      const state = await playLate(deployment, requests, name, faults);
      const isNew = state !== undefined && calm.baselineOf(state).differences(state).length > 0;
      if (isNew) calm = new Calm(calm.plays, [...calm.late, state]);
      same = isNew ? 0 : same + 1;
    }
    return calm;
  }

  /** Attributes that are not compared, since they differ without any fault, or are there by chance. */
  get leftOut(): readonly string[] {
    const late = new Set(this.differing.map(({ place }) => place));
    return this.baseline.leftOut.filter((place) => !late.has(place));
  }

  /** Attributes that are not compared, since they differ when work is only late, with some of their values: `Orders: attempts (1 or 2)`. */
  get lateOnes(): readonly string[] {
    return this.differing.map(({ place, values }) => {
      const shown = values.slice(0, VALUES).map((one) => one.slice(0, VALUE));
      return `${place} (${shown.join(' or ')}${values.length > VALUES ? ' or others' : ''})`;
    });
  }

  private get differing(): readonly { readonly place: string; readonly values: readonly string[] }[] {
    const steady = new Set(new Baseline(this.plays.map(({ states: [state] }) => state)).leftOut);
    return this.baseline.leftOut
      .filter((place) => !steady.has(place))
      .map((place) => ({ place, values: this.baseline.valuesOf(place) }))
      .filter(({ values }) => values.length > 1);
  }

  private get baseline(): Baseline {
    return this.baselines[0] as Baseline;
  }

  /** Functions that no history without faults has invoked. */
  get unreached(): readonly string[] {
    const [first, ...others] = this.plays.map(({ unreached }) => unreached);
    return (first ?? []).filter((label) => others.every((one) => one.includes(label)));
  }

  /** Returns the statuses of a request without faults. */
  statusesOf(request: number): readonly number[] {
    return [...new Set(this.plays.map(({ statuses }) => statuses[request] ?? 0))];
  }

  /** Returns what a state is compared with: calm histories that have come to rest, or that continued for as long as its own history has. */
  baselineOf({ at }: EndState): Baseline {
    const longer = at - this.plays[0].states[0].at;
    const found = LONGER.findIndex((_, index) => {
      const waited = LONGER.slice(0, index + 1).reduce((sum, milliseconds) => sum + milliseconds, 0);
      return longer <= waited;
    });
    return this.baselines.at(found) as Baseline;
  }

  /** Whether the newest history shows no difference that the earlier ones haven't shown. */
  private isLike(before: Calm): boolean {
    const { statuses, states } = this.plays.at(-1) as CalmPlay;
    return (
      statuses.every((status, at) => before.statusesOf(at).includes(status)) &&
      states.every((state, at) => {
        const baseline = before.baselines[at] as Baseline;
        return baseline.differences(state).length === 0 && baseline.unsent(state).length === 0;
      }) &&
      this.baselines.every(({ leftOut }, at) => leftOut.length === (before.baselines[at] as Baseline).leftOut.length)
    );
  }
}

/** Whether a fault may make a history longer than six days: SNS tries for weeks, and a queue may keep for weeks what no function can take. */
function lastsWeeks({ assembly }: Deployment): boolean {
  const read = readSources(assembly);
  return (
    assembly.findByType('AWS::SNS::Topic').length > 0 ||
    assembly
      .findByType('AWS::SQS::Queue')
      .some(({ arn, properties }) => read.has(arn) && Number(properties.MessageRetentionPeriod ?? 0) > SIX_DAYS / 1000)
  );
}

/** Plays requests with faults by which work is late. @returns nothing if a promise is broken by that already */
async function playLate(
  deployment: Deployment,
  requests: readonly Stimulus[],
  name: string,
  faults: readonly Fault[],
): Promise<EndState | undefined> {
  let state: EndState | undefined;
  const scenario: Scenario = {
    name,
    conditions: CONDITIONS,
    play: async (cloud) => {
      await sendAll(cloud, requests);
      const deadLetters = findDeadLetterQueues(cloud);
      const end = readEndState(cloud);
      const waits = [...deadLetters].some((queue) => (end.queues[queue] ?? 0) > 0);
      if (!waits && listLosses(cloud, deadLetters).length === 0) state = end;
      return [];
    },
  };
  await playWithFaults(deployment, scenario, SINGLES, faults);
  return state;
}

/** Plays requests without faults. @throws {AppDoesNotAnswer} */
export async function playCalm(
  deployment: Deployment,
  requests: readonly Stimulus[],
  {
    name,
    seed,
    begins = MORNING,
    longer = LONGER.slice(0, 1),
  }: { readonly name: string; readonly seed: string; readonly begins?: number; readonly longer?: readonly number[] },
): Promise<CalmPlay> {
  let played: CalmPlay | undefined;
  const scenario: Scenario = {
    name,
    conditions: { begins },
    play: async (cloud) => {
      const sent = await sendAll(cloud, requests);
      requireAnswers(cloud, requests, sent);
      const lateness = cloud.faults.points.flatMap(({ id, kinds }) =>
        LATENESS.filter((kind) => kinds.includes(kind)).map((kind) => ({ point: id, kind })),
      );
      const states = [];
      for (const milliseconds of longer) {
        if (milliseconds > 0) cloud.world.after(milliseconds, () => undefined);
        await cloud.world.settle();
        states.push(readEndState(cloud));
      }
      played = {
        statuses: sent.map(({ status }) => status),
        states: states as [EndState, ...EndState[]],
        unknownHosts: [...cloud.thirdParties.unknownHosts],
        outsideBuses: cloud.events.accepted.map(({ bus }) => bus).filter((bus) => bus.startsWith('arn:')),
        parked: listParked(cloud, states[0] as EndState),
        unreached: listUnreached(cloud),
        refused: listRefused(cloud),
        lateness,
        hasTransactions: cloud.world.trace.lines.some((line) => TRANSACTION.test(line)),
      };
      return [];
    },
  };
  const { violations } = await playWithFaults(deployment, scenario, seed);
  if (violations[0]) throw new AppDoesNotAnswer(violations[0].detail.split('\n')[0]);
  return played as CalmPlay;
}

/** @throws {AppDoesNotAnswer} if a history without faults loses a message, or has no answer to a request */
export function requireAnswers(cloud: Cloud, requests: readonly Stimulus[], sent: readonly Sent[]): void {
  const fail = (what: string, error: string): never => {
    throw new AppDoesNotAnswer(`${what}${error}${adviseOutside(cloud)}`);
  };
  const [lost] = listLosses(cloud, findDeadLetterQueues(cloud));
  if (lost !== undefined)
    fail(`the app loses a message even without faults: ${lost}`, describeErrorOfLoss(cloud, lost));
  for (const [at, { status, missing }] of sent.entries()) {
    const request = requests[at] as Stimulus;
    if (missing !== undefined) fail(`${request.name} can't be sent: ${missing}`, describeFirstError(cloud));
    if (status === 0 || status >= 500)
      fail(
        `the app doesn't answer even without faults: ${request.name} -> ${status === 0 ? 'no answer' : status}`,
        describeErrorOfRequest(cloud, request),
      );
  }
}

/** Lists the answers of a history that are refusals, from its trace. */
const listRefused = ({ world }: Cloud): readonly string[] =>
  world.trace.lines.flatMap((line) => /^\S+ client (.* -> 4\d\d.*)$/.exec(line)?.[1]?.slice(0, LINE) ?? []);

function listParked(cloud: Cloud, { queues }: EndState): readonly string[] {
  return [...findDeadLetterQueues(cloud)].flatMap((label) => {
    const messages = queues[label] ?? 0;
    if (messages === 0) return [];
    return [`${label} (${messages} ${messages === 1 ? 'message' : 'messages'}${describeFirstError(cloud)})`];
  });
}

const listUnreached = ({ functions, deployment: { assembly } }: Cloud): readonly string[] =>
  [...functions.values()]
    .filter(({ invocations, resource }) => invocations === 0 && !isProviderOnly(resource, assembly))
    .map(({ label }) => label);

const adviseOutside = ({ thirdParties: { unknownHosts } }: Cloud): string =>
  unknownHosts.size === 0 ? '' : `; ${describeUnknownHosts([...unknownHosts])}`;

/** Says which hosts have no model, and how they get one. */
export const describeUnknownHosts = (hosts: readonly string[]): string =>
  `functions call ${hosts.join(', ')}, which nobody has modelled, so these requests fail; --outside <module> models them`;
