import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Bookmarks } from '../../packages/simulator/search/bookmarks.js';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playSeed, playWithFaults } from '../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import { Iam } from '../../packages/simulator/services/iam/model.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { ALL_SCENARIOS } from '../support/simulation/ground.js';
import { REPLAY_OPTIONS, replay } from './cli/replay.js';
import { bookmarksOf } from './cli/worker.js';
import { shareOut } from './cli/workers.js';
import { SCENARIOS, scenarioCalled } from './scenarios/all.js';

const USAGE = `npm run simulate                                    every single fault of place-one and webhook-one, then 100 seeds of each scenario
npm run simulate -- --singles [--scenario S]        every single fault of one scenario (place-one)
npm run simulate -- --seeds N [--scenario S] [--from K] [--continue]
npm run simulate -- --seed X --scenario S           one history by its seed, with its trace
npm run simulate -- [--seed X] --fault "<point>: <kind>" ...
                                                    the same with just these faults (repeatable); --calm: with none
npm run simulate -- --permissions                   rights that were granted and that no scenario uses
  --workers W   processes at once (default: as many as there are cores)
  --continue    from where the last search of the scenario's seeds was stopped
scenarios: ${ALL_SCENARIOS.map(({ name }) => name).join(', ')}, burst-of-<orders>, cancel-at-<moment>-of-<approval|rejection|decline>, undo-at-<moment>-of-<amount>
<scenario>:losses: the same while messages are lost and the delivery audit sends them again (for scenarios of a day)`;

const OPTIONS = {
  ...REPLAY_OPTIONS,
  seeds: { type: 'string' },
  workers: { type: 'string' },
  from: { type: 'string' },
  singles: { type: 'boolean' },
  permissions: { type: 'boolean' },
  continue: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** `npm run simulate`: USAGE says with what. @returns 1 where a promise was broken */
export async function main(args: readonly string[]): Promise<number> {
  return (await broken(args)) > 0 ? 1 : 0;
}

async function broken(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  // Before there are workers, which would all make it at once.
  const folder = prodAssembly();
  if (values.permissions) {
    for (const right of await unusedRights(folder)) console.log(right);
    return 0;
  }
  if (values.seed !== undefined || values.fault || values.calm) {
    const history = await replay(values);
    for (const line of history.trace) console.log(line);
    const quoted = args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg));
    console.log(renderReport({ ...history, trace: [] }, `npm run simulate -- ${quoted.join(' ')}`));
    return history.violations.length;
  }
  const workers = Number(values.workers ?? availableParallelism());
  const search = (kind: 'singles' | 'seeds', scenario: string, from = 0, to = 0): Promise<number> =>
    shareOut({ kind, scenario, from, to }, workers);
  if (values.singles) return search('singles', values.scenario ?? 'place-one');
  const names = values.scenario === undefined ? ALL_SCENARIOS.map(({ name }) => name) : [values.scenario];
  let found = 0;
  if (values.seeds === undefined && values.scenario === undefined)
    for (const one of ['place-one', 'webhook-one']) found += await search('singles', one);
  const first = Number(values.from ?? 0);
  for (const name of names) {
    const bookmarks = new Bookmarks(bookmarksOf(name));
    const from = values.continue ? Math.max(first, bookmarks.next()) : first;
    bookmarks.clear();
    bookmarks.put(0, from);
    found += await search('seeds', name, from, first + Number(values.seeds ?? 100));
  }
  return found;
}

/** Rights that stay unused by every single fault of place-one, and by every scenario without a fault and by five seeds. */
async function unusedRights(folder: string): Promise<readonly string[]> {
  const deployment = loadSharedDeployment(folder);
  const all = new Iam(deployment.assembly);
  // Beside the list, which may go into a file.
  const say = (line: string): void => console.error(line);
  say('every single fault of place-one ...');
  await playSingleFaults(deployment, scenarioCalled('place-one'), {
    onHistory: ({ cloud }) => all.addUsageOf(cloud.iam),
  });
  for (const [at, scenario] of SCENARIOS.entries()) {
    say(`${scenario.name} (${at + 1} of ${SCENARIOS.length}) ...`);
    all.addUsageOf((await playWithFaults(deployment, scenario, 'calm')).cloud.iam);
    for (let seed = 0; seed < 5; seed++) all.addUsageOf((await playSeed(deployment, scenario, String(seed))).cloud.iam);
  }
  return all.listUnused();
}
