import { Cloud, type Deployment } from '../cloud/cloud.js';
import type { CloudOptions } from '../cloud/cloud-options.js';
import {
  type Fault,
  type FaultKind,
  type FaultPlan,
  type FaultPoint,
  FixedFaults,
  RandomFaults,
} from '../engine/faults.js';
import { Random } from '../engine/random.js';

/** A promise that a history broke. */
export interface Violation {
  /** The promise, in a few words: two violations of the same promise are one finding. */
  readonly invariant: string;
  readonly detail: string;
  /** Text in the trace lines about the object concerned: an order's id. */
  readonly about?: string;
}

/** Actions on a system, and the promises that must hold afterwards. */
export interface Scenario {
  readonly name: string;
  /** Probability of a fault at each point, in a run with random faults. @default 0.02 */
  readonly faultProbability?: number;
  /** Conditions of its runs that override the seed's. */
  readonly conditions?: Conditions;
  /** Kinds of faults that nothing in it can cause. @default none */
  readonly impossible?: readonly FaultKind[];
  /** Plays it in a cloud until everything has come to rest; faults happen meanwhile. */
  play(cloud: Cloud): Promise<readonly Violation[]>;
}

/** One history and its outcome. */
export interface History {
  readonly scenario: Scenario;
  readonly seed: string;
  readonly violations: readonly Violation[];
  readonly faults: readonly Fault[];
  readonly points: readonly FaultPoint[];
  readonly fingerprint: string;
  readonly trace: readonly string[];
  readonly cloud: Cloud;
}

/** Conditions of a run besides its faults. */
export type Conditions = Pick<
  CloudOptions,
  | 'begins'
  | 'keepTrace'
  | 'clockSkew'
  | 'coldness'
  | 'ttlLag'
  | 'indexLag'
  | 'shardChanges'
  | 'pageItems'
  | 'losses'
  | 'load'
  | 'quota'
  | 'recycle'
  | 'recording'
  | 'replays'
  | 'isWatched'
>;

const FAULT_PROBABILITY = 0.02;
const ONE_MINUTE = 60_000;
const TWO_DAYS = 2 * 86_400_000;
/** Items of a page in a history whose pages are short. */
const SHORT_PAGE = 2;

/** Fingerprints of the histories that were played of a deployment, by scenario and by what makes them. */
const played = new WeakMap<Deployment, WeakMap<Scenario, Map<string, string>>>();

/**
 * Plays a run, and again with new environments if it isn't the history that it was before: a module of some function has kept
 * something of another history. From then on every environment of the deployment is new.
 * @param faults makes the plan of its faults
 * @param key what makes the history, beside its scenario
 */
async function play(
  deployment: Deployment,
  scenario: Scenario,
  seed: string,
  faults: () => FaultPlan,
  key: string,
  conditions: Conditions = {},
): Promise<History> {
  const history = await playOnce(deployment, scenario, seed, faults(), conditions);
  const before = getOrCreate(
    getOrCreate(played, deployment, () => new WeakMap()),
    scenario,
    () => new Map<string, string>(),
  );
  const known = before.get(key);
  if (known === undefined) before.set(key, history.fingerprint);
  if (known === undefined || known === history.fingerprint || !deployment.recycles) return history;
  deployment.recycles = false;
  const fresh = await playOnce(deployment, scenario, seed, faults(), { ...conditions, recycle: false });
  before.set(key, fresh.fingerprint);
  return fresh;
}

/** Returns the member of a map, made where it is missing. */
function getOrCreate<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Plays one run of a scenario. An exception is a violation too, because nothing may abort a history. */
async function playOnce(
  deployment: Deployment,
  scenario: Scenario,
  seed: string,
  faults: FaultPlan,
  conditions: Conditions = {},
): Promise<History> {
  const cloud = new Cloud(deployment, {
    seed: `${scenario.name}/${seed}`,
    faults,
    recycle: deployment.recycles,
    ...conditions,
    ...scenario.conditions,
  });
  let violations: readonly Violation[];
  try {
    await cloud.deployed();
    violations = await scenario.play(cloud);
  } catch (error) {
    const { name, message, stack } = error as Error;
    violations = [{ invariant: `the history ends by ${name}`, detail: `${message}\n${stack}` }];
  }
  cloud.end();
  const { trace } = cloud.world;
  return {
    scenario,
    seed,
    violations,
    faults: faults.injected,
    points: faults.points,
    fingerprint: trace.fingerprint(),
    trace: trace.lines,
    cloud,
  };
}

/** Plays a run with exactly these faults; none by default. */
export const playWithFaults = (
  deployment: Deployment,
  scenario: Scenario,
  seed: string,
  faults: readonly Fault[] = [],
  conditions?: Conditions,
): Promise<History> =>
  play(
    deployment,
    scenario,
    seed,
    () => new FixedFaults(faults),
    historyKey('with', seed, faults, conditions),
    conditions,
  );

/** Returns what makes a history. Recordings, traces and who watches change nothing in it. */
function historyKey(
  way: 'with' | 'seed',
  seed: string,
  faults: readonly Fault[] | undefined,
  given: Conditions = {},
): string {
  const {
    keepTrace: _,
    recording: _recording,
    replays: _replays,
    recycle: _recycle,
    isWatched: _watched,
    ...conditions
  } = given;
  return JSON.stringify([way, seed, faults ?? 'of the seed', conditions]);
}

export interface SeedOptions extends Conditions {
  /** Replaces the faults that the seed would inject: for shrinking. */
  readonly only?: readonly Fault[];
}

/**
 * Plays a run in which the seed determines everything: faults, how far clocks differ (up to 2 s), how often
 * environments are cold, how late TTL is, whether indexes are late by more than seconds, and whether pages of tables end after
 * two items.
 */
export function playSeed(
  deployment: Deployment,
  scenario: Scenario,
  seed: string,
  { only, ...conditions }: SeedOptions = {},
): Promise<History> {
  const random = new Random(`conditions/${seed}`);
  const faults = (): FaultPlan =>
    only
      ? new FixedFaults(only)
      : new RandomFaults(random.fork(`faults of ${scenario.name}`), scenario.faultProbability ?? FAULT_PROBABILITY);
  return play(deployment, scenario, seed, faults, historyKey('seed', seed, only, conditions), {
    clockSkew: random.fork('clocks').between(0, 2_000),
    coldness: random.fork('coldness').pick([0, 0, 0, 0.05, 0.2]),
    ttlLag: random.fork('ttl').pick([0, TWO_DAYS]),
    indexLag: random.fork('indexes').pick([0, 0, 0, ONE_MINUTE]),
    shardChanges: random.fork('shards').pick([0, 0, 0, 0.1]),
    ...random.fork('pages').pick([{}, {}, {}, { pageItems: SHORT_PAGE }]),
    ...conditions,
  });
}
