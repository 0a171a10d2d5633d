import { fileURLToPath } from 'node:url';
import { type CampaignOptions, playEverySingleFault, playSeeds } from '../../../packages/simulator/search/campaign.js';
import { renderReport } from '../../../packages/simulator/search/report.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { findGround } from '../../support/simulation/ground.js';
import { commandOf } from './replay.js';

/** Part of a search that one worker plays. */
export interface Task {
  readonly kind: 'singles' | 'seeds';
  readonly scenario: string;
  readonly from: number;
  readonly to: number;
  readonly part: number;
  readonly of: number;
}

export type Message =
  /** `cpu`: CPU time of this process for the completed history, in milliseconds. */
  | { readonly kind: 'progress'; readonly done: number; readonly all: number; readonly cpu: number }
  | { readonly kind: 'found'; readonly text: string };

/** Returns the folder where the workers of a scenario store their next seeds. */
export const bookmarksOf = (scenario: string): string =>
  fileURLToPath(new URL(`../../../.build/simulation/next-seed/${scenario}`, import.meta.url));

/** Runs one process of a search (`worker.ts <task as JSON>`). It reports findings to its parent process. */
async function work(task: Task): Promise<void> {
  const tell = (message: Message): void => void process.send?.(message);
  let before = process.cpuUsage();
  const options: CampaignOptions = {
    share: { part: task.part, of: task.of },
    onProgress: (done, all) => {
      const { user, system } = process.cpuUsage(before);
      before = process.cpuUsage();
      tell({ kind: 'progress', done, all, cpu: (user + system) / 1_000 });
    },
    onViolation: (history) => tell({ kind: 'found', text: renderReport(history, commandOf(history, task.kind)) }),
  };
  const ground = findGround(task.scenario);
  const deployment = loadSharedDeployment(ground.folder, ground.lambdas);
  const scenario = ground.scenarioCalled(task.scenario);
  if (task.kind === 'singles') await playEverySingleFault(deployment, scenario, options);
  else await playSeeds(deployment, scenario, [task.from, task.to], options, bookmarksOf(task.scenario));
}

const [task] = process.argv.slice(2);
if (task !== undefined && process.send) {
  let done = false;
  // The parent process has ended, so nobody would receive the findings.
  process.on('disconnect', () => process.exit(done ? 0 : 1));
  await work(JSON.parse(task) as Task);
  done = true;
  process.disconnect();
}
