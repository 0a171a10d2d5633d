import { fork } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTree } from '../bench/copied-tree.js';
import { atExit } from '../local/at-exit.js';
import { draw } from './draw.js';
import { equivalenceOf } from './equivalent.js';
import type { MutantMessage, MutantTask } from './mutant-worker.js';
import { PATTERNS, type Pattern } from './patterns.js';
import { beginRun, keepPart, type PatternResult, ROOT, readRecord } from './record.js';
import { instrument, type Mutant } from './sample.js';

const KIT = 'packages/kit/';
/** Mutants of each pattern that are drawn. */
const DRAWN = 40;
/** Seed of the sample. */
const SEED = '1';
/** Milliseconds without news after which a worker is taken for one in an endless loop. */
const SILENT_AT_MOST = 180_000;

/** Constructs run at deploy time, public modules and contracts hold no code. */
const NOT_MUTATED = /(\.construct|\/index|\.d)\.ts$/;

/**
 * Draws mutants of each pattern, runs the tests of the pattern against each, and writes what survived into the record.
 * @param only part of the names of the patterns that run; the results of the others stay
 * @returns number of patterns whose tests fail without a mutant
 */
export async function proveMutants(only = ''): Promise<number> {
  const run = beginRun(only);
  let red = 0;
  for (const pattern of PATTERNS.filter(({ name }) => name.includes(only))) {
    const result = await mutate(pattern);
    if (result === undefined) {
      red++;
      console.log(`${pattern.name}: its tests fail without a mutant`);
      continue;
    }
    const others = readRecord().mutants?.results ?? [];
    const results = PATTERNS.flatMap(({ name }) =>
      name === pattern.name ? result : others.filter((one) => one.pattern === name),
    );
    const leftOut = sayLeftOut(results);
    keepPart('mutants', { run: { ...run, leftOut }, seed: SEED, stryker: strykerVersion(), results });
    console.log(`${pattern.name}: ${result.killed} of ${result.drawn} mutants were killed`);
    for (const { file, line, from, to } of result.survivors)
      console.log(`  ${file}:${line}: ${inOneLine(from)} -> ${inOneLine(to)}`);
  }
  return red;
}

/** Says which mutants were not run. */
function sayLeftOut(results: readonly PatternResult[]): string {
  const missing = PATTERNS.map(({ name }) => name).filter((name) => !results.some(({ pattern }) => pattern === name));
  const patterns = missing.length > 0 ? ` Patterns that have not run yet: ${missing.join('; ')}.` : '';
  return `all but ${DRAWN} mutants of each pattern.${patterns}`;
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100);

const strykerVersion = (): string =>
  (
    JSON.parse(readFileSync(new URL('node_modules/@stryker-mutator/instrumenter/package.json', ROOT), 'utf8')) as {
      version: string;
    }
  ).version;

/** Returns the sources of a pattern, from the root of the repository. */
export function sourcesOf({ sources }: Pattern): readonly string[] {
  const files = sources.flatMap((name) => {
    const path = `${KIT}${name}`;
    if (statSync(new URL(path, ROOT)).isFile()) return path;
    return readdirSync(new URL(path, ROOT), { recursive: true, encoding: 'utf8' }).map((file) => `${path}/${file}`);
  });
  return files.filter((file) => file.endsWith('.ts') && !NOT_MUTATED.test(file)).toSorted();
}

/** @returns nothing if the tests fail without a mutant */
async function mutate(pattern: Pattern): Promise<PatternResult | undefined> {
  const { mutants, sources } = await instrument(ROOT, sourcesOf(pattern));
  const drawn = draw(mutants, DRAWN, `${SEED}/${pattern.name}`);
  const folder = copyTree(fileURLToPath(ROOT), 'linked');
  for (const [file, text] of sources) writeFileSync(join(folder, file), text);
  const tests = pattern.tests.map((name) => `test/kit/${name}`);
  const killed = await judge({ folder, tests, mutants: ['', ...drawn.map(({ id }) => id)] });
  if (killed.has('')) return undefined;
  const survivors = drawn.filter(({ id }) => !killed.has(id)).map(survivorOf);
  return {
    pattern: pattern.name,
    possible: mutants.length,
    drawn: drawn.length,
    killed: drawn.length - survivors.length,
    survivors,
  };
}

function survivorOf({ id: _, ...mutant }: Mutant): PatternResult['survivors'][number] {
  const equivalent = equivalenceOf(mutant);
  return { ...mutant, ...(equivalent !== undefined && { equivalent }) };
}

/**
 * Runs the tests against each mutant. A mutant in which a worker hangs is killed by the time limit, and another worker continues.
 * @returns ids of the mutants that were killed
 */
async function judge(task: MutantTask): Promise<ReadonlySet<string>> {
  const killed = new Set<string>();
  let left = task.mutants;
  while (left.length > 0) {
    const { judged, hung } = await runWorker({ ...task, mutants: left });
    for (const [mutant, isKilled] of judged) if (isKilled) killed.add(mutant);
    if (hung !== undefined) killed.add(hung);
    left = left.filter((mutant) => !judged.has(mutant) && mutant !== hung);
    if (judged.size === 0 && hung === undefined) throw new Error('a worker of mutants ended without a result');
  }
  return killed;
}

/** Runs one worker to its end. @returns what it judged, and the mutant in which it hung or crashed */
function runWorker(task: MutantTask): Promise<{ judged: ReadonlyMap<string, boolean>; hung: string | undefined }> {
  const worker = fork(fileURLToPath(new URL('mutant-worker.ts', import.meta.url)), [JSON.stringify(task)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  // Its own workers belong to its group, and one in an endless loop handles no signal.
  const end = (): void => {
    try {
      if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const forget = atExit(end);
  const judged = new Map<string, boolean>();
  let begun: string | undefined;
  return new Promise((done, fail) => {
    let limit = setTimeout(end, SILENT_AT_MOST);
    worker.on('message', (message: MutantMessage) => {
      clearTimeout(limit);
      limit = setTimeout(end, SILENT_AT_MOST);
      if ('begun' in message) {
        begun = message.begun;
      } else {
        judged.set(message.judged, message.killed);
        begun = undefined;
      }
    });
    worker.once('error', fail);
    worker.once('close', () => {
      clearTimeout(limit);
      end();
      forget();
      done({ judged, hung: begun });
    });
  });
}
