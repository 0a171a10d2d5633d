import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { asJson } from '../docs/layout.js';

/** Guarantees of the README: `G1` to `G8`. */
export type PromiseId = `G${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;

/** When a part ran, and on which sources. */
export interface Run {
  /** Start of the run: ISO 8601, UTC, to the second. */
  readonly at: string;
  /** Commit that was checked out, 12 digits; with `+` behind it if files differed from it. */
  readonly commit: string;
  /** What this run left out, as a sentence; absent if it was complete. */
  readonly leftOut?: string;
  /** Earlier run whose results stay beside those of this one; absent if all are of this run. */
  readonly continues?: readonly Pick<Run, 'at' | 'commit'>[];
  /** Text that the renewed results have in their names; the other results are of earlier runs. Absent if all are of this run. */
  readonly renewed?: string;
}

/** One guard, removed from a copy of the sources. */
export interface GuardResult {
  readonly promise: PromiseId;
  /** What the guard does. */
  readonly guard: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Line of the guard in its file, from 1, at the commit of the run. */
  readonly line: number;
  /** The source text that was removed, and what replaced it. */
  readonly removed: { readonly from: string; readonly to: string };
  readonly test: { readonly file: string; readonly name: string };
  /** Whether the test passes with the guard. */
  readonly greenWith: boolean;
  /** Whether the test fails without the guard. */
  readonly redWithout: boolean;
  /** First line of the failure without the guard. */
  readonly failure?: string;
}

/** One planted bug, and the history that found it. */
export interface PlantedResult {
  readonly bug: string;
  readonly scenario: string;
  /** Path of the source that has the bug; `templates` for a bug in the CloudFormation templates. */
  readonly file: string;
  readonly found: boolean;
  /** The broken promise, in the words of the invariant. */
  readonly broken?: string;
  /** Faults of the history that found it: `<point>: <kind>`. */
  readonly faults: readonly string[];
  /** Number of histories that were played. */
  readonly histories: number;
  /** Seconds that passed. */
  readonly seconds: number;
}

/** Single-fault histories of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  /** Number of single faults that the scenario has a point for. */
  readonly possible: number;
  /** Histories that were played, by kind of fault; `none` is the history without a fault. */
  readonly byKind: Readonly<Record<string, { readonly histories: number; readonly broken: number }>>;
  /** Seconds of processor time. */
  readonly seconds: number;
}

/** One mutant that no test failed for. */
export interface Survivor {
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Text of that line at the commit of the run. Absent in records of earlier releases. */
  readonly source?: string;
  /** Kind of change, as Stryker names it: `ConditionalExpression`. */
  readonly mutator: string;
  /** The source text before and after the change. */
  readonly from: string;
  readonly to: string;
  /** Reason why the change has no effect that a test could see; absent if a test is missing. */
  readonly equivalent?: string;
}

/** Mutants of one pattern of the kit. */
export interface PatternResult {
  readonly pattern: string;
  /** Number of mutants that Stryker's instrumenter makes of the pattern's sources. */
  readonly possible: number;
  /** Mutants that were drawn and run. */
  readonly drawn: number;
  /** Of them, those for which a test failed, or ran into its time limit. */
  readonly killed: number;
  readonly survivors: readonly Survivor[];
}

/** One public suite that the simulator is held against. */
export interface SuiteResult {
  readonly suite: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Everything on the page of proofs. Each part is of a run of its own. */
export interface ProofRecord {
  readonly guards?: { readonly run: Run; readonly results: readonly GuardResult[] };
  readonly planted?: { readonly run: Run; readonly results: readonly PlantedResult[] };
  readonly histories?: {
    readonly run: Run;
    /** Seconds of processor time for each scenario. */
    readonly budget: number;
    readonly results: readonly ScenarioResult[];
  };
  readonly mutants?: {
    readonly run: Run;
    /** Seed by which the sample was drawn. */
    readonly seed: string;
    /** Version of Stryker. */
    readonly stryker: string;
    readonly results: readonly PatternResult[];
  };
  readonly suites?: { readonly run: Run; readonly results: readonly SuiteResult[] };
}

export const ROOT = new URL('../../', import.meta.url);
const FILE = new URL('docs/proof.json', ROOT);

/** Reads the committed record; an empty one if there is none. */
export const readRecord = (): ProofRecord =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as ProofRecord) : {};

/** Writes one part into the committed record; the others stay. */
export function keepPart<Part extends keyof ProofRecord>(part: Part, result: NonNullable<ProofRecord[Part]>): void {
  const record: ProofRecord = { ...readRecord(), [part]: result };
  const { guards, planted, histories, mutants, suites } = record;
  writeFileSync(FILE, asJson({ guards, planted, histories, mutants, suites }));
}

/**
 * Describes a run that begins now.
 * @param only text in the names of the results that it renews; empty for all
 * @param continued earlier run whose results stay
 */
export function beginRun(only = '', continued?: Run): Run {
  const git = (...args: readonly string[]): string =>
    spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? '';
  const commit = git('rev-parse', '--short=12', 'HEAD') || 'unknown';
  const differs = git('status', '--porcelain', '--', 'bin', 'lib', 'lambdas', 'packages', 'test') !== '';
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    at,
    commit: differs ? `${commit}+` : commit,
    ...(only !== '' && { renewed: only }),
    ...(continued && { continues: [{ at: continued.at, commit: continued.commit }, ...(continued.continues ?? [])] }),
  };
}
