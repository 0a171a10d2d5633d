import { readAssembly } from '../assembly/without-stacks.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import type { OutsideHosts } from '../cloud/outside-hosts.js';
import type { FaultKind } from '../engine/faults.js';
import { type Finding, groupFindings } from './findings.js';
import { makeOracle } from './oracle.js';
import { readRequests } from './recorded-requests.js';
import { searchApp } from './search-app.js';

export interface SearchRequestsOptions {
  /** Histories with random faults, after the single ones. @default 0 */
  readonly seeds?: number;
  /** Milliseconds for histories with faults; those without come before. @default until all is played */
  readonly for?: number;
  /** Kinds of faults that nobody wants. @default none */
  readonly without?: readonly FaultKind[];
  /** Models of hosts outside of AWS that functions call. @default none: requests to them fail */
  readonly outside?: OutsideHosts;
  /** Names of stacks that are left out. @default none */
  readonly withoutStacks?: readonly string[];
}

/**
 * Searches an app by recorded requests or steps, as `orderly-simulate --requests` does.
 * @param folder cloud assembly, as `cdk synth` writes it
 * @param requests file of requests or steps
 * @throws {AssemblyNotModelled} {RequestsUnreadable} {AppDoesNotAnswer}
 */
export async function searchRequests(
  folder: string,
  requests: string,
  { seeds = 0, for: time, without = [], outside, withoutStacks }: SearchRequestsOptions = {},
): Promise<{ readonly histories: number; readonly findings: readonly Finding[] }> {
  const deployment = new Deployment(readAssembly(folder, withoutStacks), undefined, undefined, { outside });
  const [api] = new Cloud(deployment, { seed: 'apis', keepTrace: false }).apis;
  const { scenario, repeats } = await makeOracle(deployment, readRequests(requests, api?.stage));
  const until = time === undefined ? undefined : Date.now() + time;
  const { histories, broken } = await searchApp(deployment, scenario, {
    share: { part: 0, of: 1 },
    seeds,
    isOver: () => until !== undefined && Date.now() > until,
    without,
    onProgress: () => undefined,
  });
  return { histories, findings: groupFindings([...broken, ...repeats]) };
}
