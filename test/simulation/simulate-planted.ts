import { parseArgs } from 'node:util';
import { FOUND, playFoundWith } from '../support/simulation/found.js';
import { findGround } from '../support/simulation/ground.js';
import { wordsOf } from './cli/replay.js';
import { BUGS } from './planted/bugs.js';
import { find, shortCut } from './planted/find.js';
import { HINTS, keepHint } from './planted/hints.js';

/**
 * `npm run simulate:planted [-- <part of a name>]`: every planted bug must be found by singles or 1,000 seeds, and every
 * fault that was ever found must be found by its history if it is put back.
 * `--hints` writes the short cuts to them again, by which `npm test` finds them; it begins with the ones that it has.
 */
export async function main(args: readonly string[]): Promise<number> {
  const options = { hints: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const part = positionals.join(' ');
  let missed = 0;
  for (const bug of BUGS.filter(({ name }) => name.includes(part))) {
    const ground = findGround(bug.scenario);
    const hint = values.hints ? HINTS[bug.name] : undefined;
    const { history, runs } = await find(ground, bug, { seeds: 1_000, ...(hint && { hint }) });
    if (!history) missed++;
    const how = history?.faults.map(wordsOf).join(', ') || 'no fault at all';
    console.log(history ? `found after ${runs} histories: ${bug.name}` : `NOT FOUND in ${runs} histories: ${bug.name}`);
    if (history) console.log(`    by ${how}\n    ${history.violations[0]?.invariant}`);
    if (history && values.hints) {
      const shortest = await shortCut(ground, bug, history);
      keepHint(bug.name, shortest);
      console.log(`    ${shortest?.entry ? `in ${shortest.entry} alone` : 'in all functions'}`);
    }
  }
  for (const found of FOUND.filter(({ name }) => name.includes(part))) {
    if (!found.back) continue;
    const { violations } = await playFoundWith(found.back, found);
    const isFound = violations.some(({ invariant }) => invariant === found.promise);
    if (!isFound) missed++;
    console.log(`${isFound ? 'found by its history' : 'NOT FOUND by its history'}: ${found.name}, put back`);
  }
  console.log(
    missed === 0 ? 'all were found' : `${missed} were not found: a hole in the simulator or in the invariants`,
  );
  return missed === 0 ? 0 : 1;
}
