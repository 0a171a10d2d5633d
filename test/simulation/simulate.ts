import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Fault, FaultKind } from '../simulator/aws/faults.js';
import { Iam } from '../simulator/aws/iam.js';
import { deploymentOf } from '../simulator/cloud.js';
import { type CampaignOptions, everySingle, seeds } from '../simulator/search/campaign.js';
import { report } from '../simulator/search/report.js';
import { playSeed, playWith } from '../simulator/search/scenario.js';
import { singles } from '../simulator/search/singles.js';
import { SCENARIOS, scenarioCalled } from './scenarios/all.js';
import { prodAssembly } from './support/assembly.js';

const USAGE = `npm run simulate                                    every single fault of place-one, then 100 seeds of each scenario
npm run simulate -- --singles [--scenario S]        every single fault of one scenario (place-one)
npm run simulate -- --seeds N [--scenario S] [--from K] [--continue]
npm run simulate -- --seed X --scenario S           one history by its seed, with its trace
npm run simulate -- --fault "<point>: <kind>" ...   one history with just these faults (repeatable)
npm run simulate -- --permissions                   rights that were granted and that no scenario uses
  --workers W   processes at once (default: as many as there are cores)
scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}`;

const OPTIONS = {
  seeds: { type: 'string' },
  scenario: { type: 'string' },
  workers: { type: 'string' },
  seed: { type: 'string' },
  from: { type: 'string' },
  fault: { type: 'string', multiple: true },
  singles: { type: 'boolean' },
  permissions: { type: 'boolean' },
  continue: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Environment variable that tells a worker its share. */
const SHARE = 'ORDERLY_SIMULATION_SHARE';

interface Task {
  readonly kind: 'singles' | 'seeds';
  readonly scenario: string;
  readonly from: number;
  readonly to: number;
  readonly part: number;
  readonly of: number;
  readonly goesOn: boolean;
}

type Message =
  | { readonly kind: 'progress'; readonly done: number; readonly all: number; readonly broken: number }
  | { readonly kind: 'found'; readonly text: string };

const bookmarkOf = ({ scenario, part, of }: Task): string =>
  fileURLToPath(new URL(`../../.build/simulation/next-seed-${scenario}-${part}-of-${of}`, import.meta.url));

/** One worker's share of a task. */
async function work(task: Task, folder: string, tell: (message: Message) => void): Promise<void> {
  const deployment = deploymentOf(folder);
  const scenario = scenarioCalled(task.scenario);
  const command = (how: string): string => `npm run simulate -- --scenario ${scenario.name} ${how}`;
  const options: CampaignOptions = {
    share: { part: task.part, of: task.of },
    stopped: () => false,
    progress: (done, all, broken) => tell({ kind: 'progress', done, all, broken }),
    found: (history) => {
      const faults = history.faults.map(({ point, kind }) => `--fault "${point}: ${kind}"`).join(' ');
      const how = task.kind === 'seeds' ? `--seed ${history.seed}` : faults;
      tell({ kind: 'found', text: report(history, command(how)) });
    },
    ...(task.goesOn && { bookmark: bookmarkOf(task) }),
  };
  if (task.kind === 'singles') await everySingle(deployment, scenario, options);
  else await seeds(deployment, scenario, [task.from, task.to], options);
}

/** Shares a task out and shows how far it is. @returns how many histories broke a promise */
async function shareOut(task: Omit<Task, 'part' | 'of'>, workers: number): Promise<number> {
  const begun = performance.now();
  let found = 0;
  const done = new Map<number, number>();
  await Promise.all(
    Array.from(
      { length: workers },
      (_, part) =>
        new Promise<void>((resolve, reject) => {
          const worker = fork(fileURLToPath(import.meta.url), [], {
            env: { ...process.env, [SHARE]: JSON.stringify({ ...task, part, of: workers }) },
          });
          worker.on('message', (message: Message) => {
            if (message.kind === 'found') {
              found++;
              console.log(message.text);
              return;
            }
            done.set(part, message.done);
            const share =
              task.kind === 'singles' ? [...done.values()].reduce((sum, one) => sum + one, 0) : message.done;
            const all = task.kind === 'singles' ? message.all * workers : message.all;
            if (process.stderr.isTTY)
              process.stderr.write(`\r${task.scenario} ${task.kind} ${share} of ${all}, ${found} broken `);
          });
          worker.on('error', reject);
          worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
        }),
    ),
  );
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const count = task.kind === 'singles' ? [...done.values()].reduce((sum, one) => sum + one, 0) : task.to - task.from;
  console.log(`\r${task.scenario}: ${count} ${task.kind}, ${found} broken a promise, ${seconds} s`);
  return found;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const folder = prodAssembly();
  if (values.permissions) {
    for (const right of await unusedRights(folder)) console.log(right);
    return 0;
  }
  const workers = Number(values.workers ?? availableParallelism());
  const scenario = values.scenario ?? 'place-one';
  const from = Number(values.from ?? 0);
  const task = (kind: Task['kind'], name: string, to: number) => ({
    kind,
    scenario: name,
    from,
    to,
    goesOn: values.continue ?? false,
  });
  if (values.seed !== undefined || values.fault) {
    const deployment = deploymentOf(folder);
    const history = values.fault
      ? await playWith(deployment, scenarioCalled(scenario), values.seed ?? 'singles', values.fault.map(faultOf))
      : await playSeed(deployment, scenarioCalled(scenario), values.seed ?? '0');
    for (const line of history.trace) console.log(line);
    console.log(report({ ...history, trace: [] }, process.argv.slice(2).join(' ')));
    return history.violations.length;
  }
  if (values.singles) return shareOut(task('singles', scenario, 0), workers);
  const names = values.scenario === undefined ? SCENARIOS.map(({ name }) => name) : [values.scenario];
  let broken = 0;
  if (values.seeds === undefined && values.scenario === undefined)
    broken += await shareOut(task('singles', 'place-one', 0), workers);
  for (const name of names) broken += await shareOut(task('seeds', name, from + Number(values.seeds ?? 100)), workers);
  return broken;
}

/** Rights that stay unused by every single fault of place-one, and by every scenario without a fault and by five seeds. */
async function unusedRights(folder: string): Promise<readonly string[]> {
  const deployment = deploymentOf(folder);
  const all = new Iam(deployment.assembly);
  await singles(deployment, scenarioCalled('place-one'), { each: ({ cloud }) => all.usedBy(cloud.iam) });
  for (const scenario of SCENARIOS) {
    all.usedBy((await playWith(deployment, scenario, 'calm')).cloud.iam);
    for (let seed = 0; seed < 5; seed++) all.usedBy((await playSeed(deployment, scenario, String(seed))).cloud.iam);
  }
  return all.unused();
}

/** `Orders/PlaceOrder call 1: killed-after` */
function faultOf(text: string): Fault {
  const at = text.lastIndexOf(': ');
  return { point: text.slice(0, at), kind: text.slice(at + 2) as FaultKind };
}

const share = process.env[SHARE];
if (share === undefined) {
  process.exitCode = (await main()) > 0 ? 1 : 0;
} else {
  // Nobody is left to tell: the process that shares the work out is gone.
  process.on('disconnect', () => process.exit(done ? 0 : 1));
  let done = false;
  await work(JSON.parse(share) as Task, prodAssembly(), (message) => process.send?.(message));
  done = true;
  process.disconnect();
}
