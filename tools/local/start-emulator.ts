import { atExit } from './at-exit.js';
import { runDemo } from './demo.js';
import { aboutSkipped } from './deploy.js';
import { devTokens } from './dev-issuer.js';
import { type RunningOrderly, runOrderly } from './emulator.js';
import { awaitInterruption } from './interrupted.js';
import { forgetLocalRun, type LocalRun, writeLocalRun } from './local-run.js';
import { type Progress, runStep } from './progress.js';
import { invitation, renderTables } from './start-texts.js';
import { Terminal } from './terminal.js';

/**
 * Deploys Orderly to LocalStack or to `ORDERLY_ENDPOINT`, demonstrates it with every event twice, and keeps a LocalStack of
 * its own running until Ctrl-C.
 */
export async function startOnEmulator(): Promise<number> {
  const terminal = new Terminal();
  const since = performance.now();
  const { orderly, shown } = await terminal.during(() => startAndDemonstrate(terminal.say));
  terminal.say(`\n${shown}\n\n${aboutSkipped(orderly.skipped)}`);
  terminal.say(`Ready after ${((performance.now() - since) / 1000).toFixed(0)} s.`);
  if (!orderly.ours) return 0;
  terminal.say('Ctrl-C ends it.');
  await awaitInterruption();
  await orderly.stop();
  return 0;
}

/** @returns what runs, and the outcome of its demonstration */
async function startAndDemonstrate(
  progress: Progress,
): Promise<{ readonly orderly: RunningOrderly; readonly shown: string }> {
  const orderly = await runOrderly({ progress });
  const { endpoint, deployment } = orderly;
  const tokens = devTokens();
  const run: LocalRun = {
    endpoint: endpoint.url ?? 'aws',
    region: endpoint.region,
    apiUrl: deployment.apiUrl,
    tokens,
  };
  writeLocalRun(run);
  if (orderly.ours) atExit(() => forgetLocalRun(run.endpoint));
  const result = await runStep(progress, 'demonstration', () =>
    runDemo({ orderly, tokens, progress: (line) => progress(`  ${line}`) }),
  );
  return { orderly, shown: `${renderTables(result)}\n\n${invitation(run, result)}` };
}
