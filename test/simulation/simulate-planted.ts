import { BUGS } from './planted/bugs.js';
import { find } from './planted/find.js';
import { INBOX_BUGS } from './planted/inbox-bugs.js';
import { groundOf } from './support/ground.js';

/** `npm run simulate:planted [-- <part of a name>]`: every planted bug must be found by singles or 1,000 seeds. */
export async function main([part = '']: readonly string[]): Promise<number> {
  let missed = 0;
  for (const bug of [...BUGS, ...INBOX_BUGS].filter(({ name }) => name.includes(part))) {
    const { history, runs } = await find(groundOf(bug.scenario), bug, { seeds: 1_000 });
    if (!history) missed++;
    const how = history?.faults.map(({ point, kind }) => `${point}: ${kind}`).join(', ') || 'no fault at all';
    console.log(history ? `found after ${runs} histories: ${bug.name}` : `NOT FOUND in ${runs} histories: ${bug.name}`);
    if (history) console.log(`    by ${how}\n    ${history.violations[0]?.invariant}`);
  }
  console.log(
    missed === 0 ? 'all were found' : `${missed} were not found: a hole in the simulator or in the invariants`,
  );
  return missed === 0 ? 0 : 1;
}
