import { fileURLToPath } from 'node:url';
import { deploymentOf } from '../../../packages/simulator/cloud.js';
import { type CampaignOptions, everySingle, seeds } from '../../../packages/simulator/search/campaign.js';
import { report } from '../../../packages/simulator/search/report.js';
import { scenarioCalled } from '../scenarios/all.js';
import { prodAssembly } from '../support/assembly.js';
import { commandOf } from './replay.js';

/** What one worker does of a search. */
export interface Task {
  readonly kind: 'singles' | 'seeds';
  readonly scenario: string;
  readonly from: number;
  readonly to: number;
  readonly part: number;
  readonly of: number;
}

export type Message =
  /** `cpu`: milliseconds of this process for the history that is done. */
  | { readonly kind: 'progress'; readonly done: number; readonly all: number; readonly cpu: number }
  | { readonly kind: 'found'; readonly text: string };

/** Where each worker of a scenario's seeds keeps which is next. */
export const bookmarksOf = (scenario: string): string =>
  fileURLToPath(new URL(`../../../.build/simulation/next-seed/${scenario}`, import.meta.url));

/** One process of a search: `worker.ts <task as JSON>`, which tells the process that began it what it finds. */
async function work(task: Task): Promise<void> {
  const tell = (message: Message): void => void process.send?.(message);
  let before = process.cpuUsage();
  const options: CampaignOptions = {
    share: { part: task.part, of: task.of },
    progress: (done, all) => {
      const { user, system } = process.cpuUsage(before);
      before = process.cpuUsage();
      tell({ kind: 'progress', done, all, cpu: (user + system) / 1_000 });
    },
    found: (history) => tell({ kind: 'found', text: report(history, commandOf(history, task.kind)) }),
  };
  const deployment = deploymentOf(prodAssembly());
  const scenario = scenarioCalled(task.scenario);
  if (task.kind === 'singles') await everySingle(deployment, scenario, options);
  else await seeds(deployment, scenario, [task.from, task.to], options, bookmarksOf(task.scenario));
}

const [task] = process.argv.slice(2);
if (task !== undefined && process.send) {
  let done = false;
  // Nobody is left to tell: the process that shares the work out is gone.
  process.on('disconnect', () => process.exit(done ? 0 : 1));
  await work(JSON.parse(task) as Task);
  done = true;
  process.disconnect();
}
