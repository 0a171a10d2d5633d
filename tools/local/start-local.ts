import { join } from 'node:path';
import { LocalCloud, PortInUse, StateRefused } from '@orderly/simulator';
import { BUILT } from '../docs/built.js';
import { localAssembly, TRACES_HOST } from './assembly.js';
import { atExit } from './at-exit.js';
import { dueRecords } from './awaits.js';
import { runDemo } from './demo.js';
import { readDeployment } from './deploy.js';
import { devTokens } from './dev-issuer.js';
import { findEndpoint } from './endpoint.js';
import { LocalRunError } from './errors.js';
import { awaitInterruption } from './interrupted.js';
import { forgetLocalRun, type LocalRun, renewLocalRun, STATE, writeLocalRun } from './local-run.js';
import { orderlyPage } from './page.js';
import { type Progress, runStep } from './progress.js';
import {
  describePage,
  describeReady,
  describeStart,
  describeWatching,
  invitation,
  renderTables,
} from './start-texts.js';
import { Terminal } from './terminal.js';
import { Watcher } from './watcher.js';

export interface StartOptions {
  readonly port: number | undefined;
  readonly hosts: readonly string[] | undefined;
  readonly keep: boolean;
  readonly logs: boolean;
  readonly demo: boolean;
  /** Address of a receiver of traces. */
  readonly traces: string | undefined;
  /** Addresses of stubs by the hosts outside of AWS that they stand for. */
  readonly outside: Readonly<Record<string, string>>;
}

/**
 * Runs Orderly in a local cloud in this process, demonstrates it, and keeps it running until Ctrl-C. Changed sources are
 * taken over while it runs.
 * @throws {LocalRunError} with what was wrong, and what to do
 */
export async function startLocalCloud(options: StartOptions): Promise<number> {
  const { keep, traces } = options;
  const terminal = new Terminal();
  const { say } = terminal;
  const began = performance.now();
  const { cloud, folder, shown } = await terminal.during(() => startAndDemonstrate({ ...options, say }));
  const watcher = new Watcher(cloud.live, folder, terminal, traces !== undefined);
  watcher.begin();
  say(`\n${describePage(cloud.pageUrl, terminal)}\n${shown}\n${describeStart(cloud.url, terminal)}`);
  say(describeReady(performance.now() - began));
  const signal = await awaitInterruption();
  watcher.end();
  await cloud.stop({ force: () => process.exit(128 + signal) });
  if (keep) say(`Its state is in ${STATE}: npm start -- --keep`);
  return 0;
}

/** A local cloud that runs. */
interface Begun {
  readonly cloud: LocalCloud;
  /** Its assembly. */
  readonly folder: string;
  /** Outcome of the demonstration, if there was one. */
  readonly shown: string;
}

/** Synthesizes, starts the local cloud, and demonstrates it. @throws {LocalRunError} */
async function startAndDemonstrate(options: StartOptions & { readonly say: Progress }): Promise<Begun> {
  const { keep, demo, traces, say } = options;
  const folder = await runStep(say, 'synthesize', () => localAssembly(undefined, traces !== undefined));
  let run: LocalRun | undefined;
  // Tokens of before are expired by the clock of after.
  const onClockSet = (ahead: number): void => {
    if (!run) return;
    run = toLocalRun(cloud, keep);
    renewLocalRun(run);
    say(`${describeClock(ahead)}: new tokens are in .orderly/local.json, and npm run token prints more.`);
  };
  const cloud = await runStep(say, 'start the local cloud', () => begin({ ...options, folder, onClockSet }));
  run = toLocalRun(cloud, keep);
  writeLocalRun(run);
  atExit(() => forgetLocalRun(cloud.url));
  const endpoint = await findEndpoint(cloud.url);
  let shown = '';
  if (demo) {
    const deployment = await readDeployment(endpoint);
    const { tokens } = run;
    say(describeWatching(cloud.pageUrl));
    const result = await runStep(say, 'demonstration', () =>
      runDemo({ orderly: { endpoint, deployment }, tokens, progress: (line) => say(`  ${line}`) }),
    );
    shown = `\n${renderTables(result)}\n\n${invitation(run, result)}\n`;
  }
  return { cloud, folder, shown };
}

/** @throws {LocalRunError} */
async function begin(options: {
  folder: string;
  port: number | undefined;
  hosts: readonly string[] | undefined;
  keep: boolean;
  logs: boolean;
  traces: string | undefined;
  outside: Readonly<Record<string, string>>;
  say: (line: string) => void;
  onClockSet: (ahead: number) => void;
}): Promise<LocalCloud> {
  const { folder, port, hosts, keep, logs, traces, outside, say, onClockSet } = options;
  try {
    const state = keep ? STATE : undefined;
    const codeCache = join(folder, 'code-cache');
    return await LocalCloud.start({
      folder,
      port,
      hosts,
      docs: BUILT,
      page: orderlyPage(),
      keep: state,
      logInvocations: logs,
      log: say,
      onClockSet,
      codeCache,
      smallHeaps: true,
      nextWorkAt: dueRecords,
      outside: { ...outside, ...(traces !== undefined && { [TRACES_HOST]: traces }) },
    });
  } catch (error) {
    if (error instanceof PortInUse || error instanceof StateRefused) throw new LocalRunError(error.message);
    throw error;
  }
}

function toLocalRun({ url, live }: LocalCloud, keep: boolean): LocalRun {
  const tokens = devTokens(live.now - Date.now());
  return { endpoint: url, region: 'eu-west-1', apiUrl: `${url}/v1`, tokens, ...(keep && { keeps: STATE }) };
}

/** @param ahead of the machine's clock, in milliseconds */
function describeClock(ahead: number): string {
  const seconds = Math.round(ahead / 1000);
  if (seconds === 0) return 'Its clock shows the time again';
  const days = Math.floor(seconds / 86_400);
  const rest = new Date((seconds % 86_400) * 1000).toISOString().slice(11, 19);
  return `Its clock is ${days === 0 ? '' : `${days} ${days === 1 ? 'day' : 'days'} and `}${rest} ahead`;
}
