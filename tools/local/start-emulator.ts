import { atExit } from './at-exit.js';
import { runDemo } from './demo.js';
import { aboutSkipped } from './deploy.js';
import { devTokens } from './dev-issuer.js';
import { runOrderly } from './emulator.js';
import { interrupted } from './interrupted.js';
import { forgetLocalRun, type LocalRun, writeLocalRun } from './local-run.js';
import { type Progress, step } from './progress.js';
import { invitation, tables } from './start-texts.js';

/**
 * Deploys Orderly to LocalStack or to `ORDERLY_ENDPOINT`, demonstrates it with every event twice, and keeps a LocalStack of
 * its own running until Ctrl-C.
 */
export async function startOnEmulator(): Promise<number> {
  const progress: Progress = console.log;
  const since = performance.now();
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
  const result = await step(progress, 'demonstration', () =>
    runDemo({ orderly, tokens, progress: (line) => progress(`  ${line}`) }),
  );
  console.log(`\n${tables(result)}\n\n${invitation(run, result)}\n\n${aboutSkipped(orderly.skipped)}`);
  console.log(`Ready after ${((performance.now() - since) / 1000).toFixed(0)} s.`);
  if (!orderly.ours) return 0;
  console.log('Ctrl-C ends it.');
  await interrupted();
  await orderly.stop();
  return 0;
}
