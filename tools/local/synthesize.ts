/**
 * Runs the app several times in one process: `node --import tsx tools/local/synthesize.ts <JSON>`, with a list of the
 * variables by which CDK's command line tells it what to synthesize.
 */
const runs: readonly Readonly<Record<string, string>>[] = JSON.parse(process.argv[2] ?? '[]');
const parent = process.ppid;

for (const [at, variables] of runs.entries()) {
  Object.assign(process.env, variables);
  // The query makes each import a new module, so the app runs again. The modules that the app imports are loaded once.
  await import(`../../bin/orderly-app.ts?run=${at}`);
  // Nobody needs the other assemblies if this run failed, or if the parent has ended.
  if (process.exitCode || process.ppid !== parent) break;
}
