/**
 * Runs the app several times in one process: `node --import tsx tools/local/synthesize.ts <JSON>`, with a list of the
 * variables by which CDK's command line tells it what to synthesize.
 */
const runs: readonly Readonly<Record<string, string>>[] = JSON.parse(process.argv[2] ?? '[]');
const parent = process.ppid;

for (const [at, variables] of runs.entries()) {
  Object.assign(process.env, variables);
  // By another address it is another module, which runs again. What it imports is loaded once.
  await import(`../../bin/orderly-app.ts?run=${at}`);
  // The rest is made for nobody if this run failed or the parent has ended.
  if (process.exitCode || process.ppid !== parent) break;
}
