import { parseArgs } from 'node:util';
import type { Deployment } from '../../../packages/simulator/cloud/cloud.js';
import type { Fault, FaultKind } from '../../../packages/simulator/engine/faults.js';
import { renderReport } from '../../../packages/simulator/search/report.js';
import { type History, playSeed, playWithFaults } from '../../../packages/simulator/search/scenario.js';
import { shrink } from '../../../packages/simulator/search/shrink.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { findGround } from '../../support/simulation/ground.js';

/** Seed of the histories of single faults. */
const SINGLES = 'singles';

/** Options that identify one history. */
export const REPLAY_OPTIONS = {
  scenario: { type: 'string' },
  seed: { type: 'string' },
  fault: { type: 'string', multiple: true },
  calm: { type: 'boolean' },
} as const;

export interface Replay {
  readonly scenario?: string | undefined;
  /**
   * Seed of the conditions (clocks, cold starts, TTL), and of the faults unless they are named.
   * @default the seed of single faults
   */
  readonly seed?: string | undefined;
  /** Only these faults: `Orders/PlaceOrder call 1: killed-after`. */
  readonly fault?: readonly string[] | undefined;
  /** No faults at all. */
  readonly calm?: boolean | undefined;
}

/** Returns the command that replays a history, byte for byte. @param by kind of search that found it */
export function commandOf(
  { scenario, seed, faults }: Pick<History, 'scenario' | 'seed' | 'faults'>,
  by: 'singles' | 'seeds',
): string {
  const named = faults.map((fault) => `--fault "${wordsOf(fault)}"`);
  return [
    `npm run simulate -- --scenario ${scenario.name}`,
    ...(by === 'seeds' ? [`--seed ${seed}`] : []),
    ...(named.length > 0 ? named : ['--calm']),
  ].join(' ');
}

/**
 * Returns the description of a seed's history that broke a promise: the fewest of its faults that still break it, and the
 * command that plays only those.
 */
export async function toldOf(deployment: Deployment, history: History): Promise<string> {
  const { scenario, seed } = history;
  const least = await shrink(history, (only) => playSeed(deployment, scenario, seed, { only }));
  return renderReport(least, commandOf(least, 'seeds'));
}

/** History that a command identifies. @param deployment if it is not the scenario's own one */
export function replay(
  { scenario = 'place-one', seed, fault, calm }: Replay,
  deployment?: Deployment,
): Promise<History> {
  const ground = findGround(scenario);
  const place = deployment ?? loadSharedDeployment(ground.folder, ground.lambdas);
  const called = ground.scenarioCalled(scenario);
  const only = fault?.map(faultOf) ?? (calm ? [] : undefined);
  if (seed === undefined || seed === SINGLES) return playWithFaults(place, called, SINGLES, only);
  return playSeed(place, called, seed, only && { only });
}

/** Reads the arguments of a command of `commandOf`. */
export const replayOf = (args: readonly string[]): Replay =>
  parseArgs({ args: [...args], options: REPLAY_OPTIONS }).values;

/** `Orders/PlaceOrder call 1: killed-after` */
export function faultOf(text: string): Fault {
  const at = text.lastIndexOf(': ');
  return { point: text.slice(0, at), kind: text.slice(at + 2) as FaultKind };
}

/** The reverse of `faultOf`. */
export const wordsOf = ({ point, kind }: Fault): string => `${point}: ${kind}`;
