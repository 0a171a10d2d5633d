import { parseArgs } from 'node:util';

const USAGE = `npm run prove                  every part: writes docs/proof.json and docs/proof.md
npm run prove -- <part> ...    only these parts; the others stay as they were
  --guards      removes each guard of a promise in a copy of the tree, and sees its test fail
  --planted     looks for each planted bug
  --histories   plays single faults of each scenario
  --mutants     runs the kit's tests against mutants of its patterns
  --suites      plays the public suites against the simulator
  --only <text>         guards or patterns whose name contains it
  --rest                of --planted and --histories: continues the run before, with what it left out or found wanting
  --minutes <n>         of --planted and --histories: begins no other bug or scenario after that time (default: no limit)
  --seconds <n>         of --histories: processor time for each scenario (default: 10)
  --dynamodb <folder>   of --suites: checkout of nubo-db/dynamodb-conformance, after npm install in it`;

const OPTIONS = {
  guards: { type: 'boolean' },
  planted: { type: 'boolean' },
  histories: { type: 'boolean' },
  mutants: { type: 'boolean' },
  suites: { type: 'boolean' },
  only: { type: 'string' },
  rest: { type: 'boolean' },
  minutes: { type: 'string' },
  seconds: { type: 'string' },
  dynamodb: { type: 'string' },
} as const;

/** Seconds for the single faults of each scenario, unless the command says otherwise. */
const SECONDS = 10;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Parts in the order of a whole run. Each returns the number of its findings. Its modules are loaded if it runs. */
const PARTS = {
  guards: async ({ only }) => (await import('./guard-tests.js')).proveGuards(only),
  suites: async ({ dynamodb }) => (await import('./suites.js')).proveSuites(dynamodb),
  planted: async ({ minutes, rest }) => (await import('./planted.js')).provePlanted(toNumber(minutes), rest),
  histories: async ({ seconds, minutes, rest }) =>
    (await import('./histories.js')).proveHistories(toNumber(seconds) ?? SECONDS, toNumber(minutes), rest),
  mutants: async ({ only }) => (await import('./mutants.js')).proveMutants(only),
} satisfies Record<string, (values: Values) => Promise<number>>;

/**
 * Runs `npm run prove`: each part writes its result into docs/proof.json, from which docs/proof.md is made.
 * @returns 1 if something isn't proved: a guard whose test stays green without it, a planted bug that was not found, a broken
 *   promise, a failed test of a suite, tests that fail without a mutant; 2 for a wrong argument
 */
export async function main(args: readonly string[]): Promise<number> {
  let values: Values;
  try {
    values = parseArgs({ args: [...args], options: OPTIONS }).values;
    toNumber(values.minutes);
    toNumber(values.seconds);
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  // The parts run functions, which log.
  Object.assign(process.env, { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' });
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[];
  const asked = names.filter((name) => values[name]);
  let findings = 0;
  for (const name of asked.length > 0 ? asked : names) {
    console.log(`\n${name}`);
    const found = await PARTS[name](values);
    if (found > 0) console.log(`${name}: ${found} not proved`);
    findings += found;
  }
  await (await import('./write-page.js')).writePage();
  return findings > 0 ? 1 : 0;
}

/** @throws {Error} if it is no positive number */
function toNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`'${text}' is no number above 0`);
  return number;
}
