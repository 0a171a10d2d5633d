import { readFileSync } from 'node:fs';
import { type PromiseId, ROOT } from './record.js';

/** Promises of the README, in its words. */
export type Promises = ReadonlyMap<PromiseId, string>;

const ROW = /^\| (G[1-8]) \| (.+?) \| .+ \|$/gm;

/** Reads the promises from the table of a page. @throws {Error} if there are not eight */
export function promisesOf(page: string): Promises {
  const promises = new Map([...page.matchAll(ROW)].map(([, id, words]) => [id as PromiseId, words ?? '']));
  if (promises.size !== 8) throw new Error(`the table of guarantees has ${promises.size} promises: expected G1 to G8`);
  return promises;
}

/** Reads the promises from the README. */
export const readPromises = (): Promises => promisesOf(readFileSync(new URL('README.md', ROOT), 'utf8'));

/** One row of the table of suites in the simulator's documentation. */
export interface HeldAgainst {
  readonly service: string;
  readonly suite: string;
  readonly cases: string;
  readonly notHeld: string;
}

const CONFORMANCE = 'packages/simulator/docs/conformance.md';

/** Reads which public suites the simulator is held against, and what of them is not held. @throws {Error} if the table is gone */
export function readSuites(): readonly HeldAgainst[] {
  const page = readFileSync(new URL(CONFORMANCE, ROOT), 'utf8');
  const [, table = ''] = page.split('| service | held against | cases | not held, and why |\n|---|---|---|---|\n');
  const rows = table.split('\n').slice(
    0,
    Math.max(
      0,
      table.split('\n').findIndex((line) => !line.startsWith('|')),
    ),
  );
  if (rows.length === 0) throw new Error(`${CONFORMANCE} has no table of suites`);
  return rows.map((row) => {
    const [service = '', suite = '', cases = '', notHeld = ''] = row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return {
      service,
      suite,
      cases,
      notHeld: notHeld.replaceAll('](coverage.md', '](../packages/simulator/docs/coverage.md'),
    };
  });
}
