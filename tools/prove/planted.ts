import { wordsOf } from '../../test/simulation/cli/replay.js';
import type { PlantedBug } from '../../test/simulation/planted/bug.js';
import { BUGS } from '../../test/simulation/planted/bugs.js';
import { find } from '../../test/simulation/planted/find.js';
import { HINTS } from '../../test/simulation/planted/hints.js';
import { findGround } from '../../test/support/simulation/ground.js';
import { draw } from './draw.js';
import { beginRun, keepPart, type PlantedResult, type Run, readRecord } from './record.js';

/** Single faults that are tried for a bug whose hint finds nothing. `npm run simulate:planted` tries all, and seeds. */
const SINGLES_AT_MOST = 50;
/** Scenarios of which one history takes minutes. */
const TAKES_MINUTES = /^burst-of-/;
/** Bugs after which the record is written, so that an interrupted run is not lost. */
const KEPT_EVERY = 5;

/**
 * Looks for the planted bugs and writes the findings into the record.
 * @param budget minutes after which no other bug is looked for. @default no limit
 * @param continues whether the bugs that the run before has found are not looked for again. @default false
 * @returns number of bugs that were looked for and not found
 */
export async function provePlanted(budget = Number.POSITIVE_INFINITY, continues = false): Promise<number> {
  const begun = performance.now();
  const before = continues ? readRecord().planted : undefined;
  const run = beginRun('', before?.run);
  const results = (before?.results ?? []).filter(isStillFound);
  const known = new Set(results.map(({ bug }) => bug));
  for (const bug of listBugs().filter(({ name }) => !known.has(name))) {
    if (performance.now() - begun > budget * 60_000) break;
    const result = await look(bug);
    results.push(result);
    if (!result.found) console.log(`NOT FOUND in ${result.histories} histories of ${bug.scenario}: ${bug.name}`);
    if (results.length % KEPT_EVERY !== 0) continue;
    keep(run, results);
    console.log(`${results.length} of ${BUGS.length} planted bugs`);
  }
  keep(run, results);
  return results.filter(({ found }) => !found).length;
}

/** Whether a result is of a bug that was found, and that still has its name and its scenario. */
const isStillFound = ({ found, bug, scenario }: PlantedResult): boolean =>
  found && BUGS.some((one) => one.name === bug && one.scenario === scenario);

/** Returns the bugs in a drawn order, so that a run that ends early has seen bugs of every kind; those with a hint first. */
function listBugs(): readonly PlantedBug[] {
  const bugs = draw(BUGS, BUGS.length, 'planted').filter(({ scenario }) => !TAKES_MINUTES.test(scenario));
  const isKnown = ({ name }: PlantedBug): boolean => HINTS[name] !== undefined;
  return [...bugs.filter(isKnown), ...bugs.filter((bug) => !isKnown(bug))];
}

function keep(run: Run, results: readonly PlantedResult[]): void {
  const without = BUGS.length - results.length;
  const leftOut = `${without} of ${BUGS.length} planted bugs; \`npm run simulate:planted\` looks for all.`;
  const sorted = results.toSorted((one, other) => (one.bug < other.bug ? -1 : 1));
  keepPart('planted', { run: { ...run, ...(without > 0 && { leftOut }) }, results: sorted });
}

async function look(bug: PlantedBug): Promise<PlantedResult> {
  const begun = performance.now();
  const hint = HINTS[bug.name] ?? { faults: [] };
  const { history, runs } = await find(findGround(bug.scenario), bug, { hint, singlesAtMost: SINGLES_AT_MOST });
  const broken = history?.violations[0]?.invariant;
  return {
    bug: bug.name,
    scenario: bug.scenario,
    file: bug.source?.file ?? 'templates',
    found: history !== undefined,
    ...(broken !== undefined && { broken }),
    faults: history?.faults.map(wordsOf) ?? [],
    histories: runs,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
  };
}
