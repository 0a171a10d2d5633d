import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const USAGE = `npm run nightly [-- --day N]   searches that are too long for npm test, with seeds of this day`;

/** Runs a command of `tools/run.mjs`. @returns its exit code */
export type RunCommand = (args: readonly string[]) => number;

const DAY_MS = 86_400_000;

/** Scenarios that a night also plays while messages are lost. */
const WITH_LOSSES = ['place-one', 'keys', 'hot-orders'];

/**
 * Work of a night besides: clients in other languages, for which generators are installed, all costs, those of webhooks among them, the page
 * of proofs, and the console in a browser, with what `npm test` leaves out.
 */
export const WITHOUT_SEEDS: readonly (readonly string[])[] = [
  ['foreign-clients'],
  ['cost'],
  ['prove'],
  ['test', 'local-cloud/nightly'],
];

/** Returns the searches of a day, with their arguments. Each day has seeds of its own. @param day since 1970 */
export const listSearches = (day: number): readonly (readonly string[])[] => [
  ...WITHOUT_SEEDS,
  ['fuzz-api', '--seed', String(day * 100)],
  ['fuzz', '--seconds', '1800', '--seed', String(day)],
  ['simulate', '--seeds', '100', '--from', String(day * 100)],
  ...WITH_LOSSES.map((name) => {
    return ['simulate', '--scenario', `${name}:losses`, '--seeds', '100', '--from', String(day * 100)];
  }),
];

const runAsChild: RunCommand = (args) =>
  spawnSync(process.execPath, ['tools/run.mjs', ...args], {
    stdio: 'inherit',
    // vitest.config.ts has its tests then, too.
    env: { ...process.env, ORDERLY_NIGHTLY: '1' },
  }).status ?? 1;

/**
 * Runs `npm run nightly`, for a timer such as cron: all searches, also after one that found something. It ends with the
 * commands that found something.
 * @returns 1 if any did, 2 for a wrong argument
 */
export async function main(args: readonly string[], run = runAsChild): Promise<number> {
  const day = parseDay(args);
  if (day === undefined) {
    console.error(USAGE);
    return 2;
  }
  const failed = listSearches(day).filter((search) => {
    console.log(`\n${search.join(' ')}`);
    return run(search) !== 0;
  });
  console.log(failed.length === 0 ? `\nday ${day}: nothing was found` : `\nday ${day}: something was found by`);
  for (const search of failed) console.log(`  node tools/run.mjs ${search.join(' ')}`);
  return failed.length === 0 ? 0 : 1;
}

function parseDay(args: readonly string[]): number | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: { day: { type: 'string' } } });
    const day = Number(values.day ?? Math.floor(Date.now() / DAY_MS));
    return Number.isSafeInteger(day) && day > 0 ? day : undefined;
  } catch {
    return undefined; // unknown option
  }
}
