import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countSuite } from '../conformance/conformance.js';
import { atExit } from '../local/at-exit.js';
import type { Report } from '../local/test-report.js';
import { beginRun, keepPart, ROOT, type Run, type SuiteResult } from './record.js';

const SIMULATOR = 'packages/simulator';
/** Test files of each suite: paths below the simulator, as vitest filters them. */
const SUITES: Readonly<Record<string, readonly string[]>> = {
  'EventBridge, patterns': ['patterns/event-ruler'],
  EventBridge: ['conformance/eventbridge'],
  SQS: ['conformance/sqs'],
  'API Gateway': ['conformance/api-gateway'],
  S3: ['conformance/s3'],
  'all that is served': ['cloud/every-operation'],
};
const DYNAMODB = 'DynamoDB';

/**
 * Plays the public suites, and writes the counts into the record.
 * @param checkout folder of nubo-db/dynamodb-conformance after `npm install` in it. @default that suite is left out
 * @returns number of failed tests
 */
export async function proveSuites(checkout?: string): Promise<number> {
  const leftOut = 'DynamoDB: its suite needs a checkout of its own (`--dynamodb <folder>`).';
  const run: Run = { ...beginRun(), ...(checkout === undefined && { leftOut }) };
  const folder = mkdtempSync(join(tmpdir(), 'orderly-suites-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = atExit(remove);
  const results: SuiteResult[] = [];
  if (checkout !== undefined) results.push({ suite: DYNAMODB, ...(await countSuite(checkout)) });
  for (const [suite, files] of Object.entries(SUITES)) results.push(play(suite, files, join(folder, 'report.json')));
  forget();
  remove();
  keepPart('suites', { run, results });
  for (const { suite, passed, failed, skipped } of results)
    console.log(`${suite}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  return results.reduce((sum, { failed }) => sum + failed, 0);
}

function play(suite: string, files: readonly string[], output: string): SuiteResult {
  const vitest = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', ROOT));
  const filters = files.map((file) => `${SIMULATOR}/${file}`);
  const reports = ['--reporter=json', `--outputFile=${output}`];
  spawnSync(process.execPath, [vitest, 'run', '--project=simulation', ...reports, ...filters], { stdio: 'ignore' });
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  return { suite, passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
}
