import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { keep, search } from './fuzz/search.js';

const USAGE = `npm run fuzz                                  a minute of inputs that nobody would think of, to every route
  --seconds N   for how long (default: 60)
  --seed S      the same inputs as with this seed before (default: another each time)`;

const OPTIONS = { seconds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } } as const;

/** `npm run fuzz`: USAGE says with what. @returns 1 where an input showed a fault, which is kept as a file then */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  const milliseconds = Number(values.seconds ?? 60) * 1000;
  if (!Number.isInteger(seed) || !(milliseconds > 0)) throw new Error(`expected whole numbers\n${USAGE}`);
  console.log(`seed ${seed}`);
  const { inputs, statuses, finding } = await search(loadSharedDeployment(prodAssembly()), { seed, milliseconds });
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  console.log(`${inputs} inputs; answers by status: ${answers.join(', ')}`);
  if (!finding) {
    console.log('no fault');
    return 0;
  }
  console.log(JSON.stringify(finding.requests, undefined, 2));
  for (const fault of finding.faults) console.log(fault);
  console.log(`kept in ${keep(finding)}; the same inputs again: npm run fuzz -- --seed ${seed}`);
  return 1;
}
