import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LocalRunError } from '../local/errors.js';
import { startEndpoint } from './endpoint.js';

// npm run conformance -- <checkout> [part of a test file's path ...]: plays the public suite nubo-db/dynamodb-conformance
// against the simulator's DynamoDB. The checkout needs its own `npm install`.

interface Result {
  readonly file: string;
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';
  readonly why: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: Result['status'];
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** @returns 0 if all tests passed: the suite skips tests of what it was refused, which is no success either */
export async function main([checkout, ...parts]: readonly string[]): Promise<number> {
  return report(await playSuite(checkout, parts));
}

/**
 * Plays the whole suite. @param checkout its folder
 * @returns numbers of tests that passed, failed and were skipped
 * @throws {LocalRunError} if there is no checkout
 */
export async function countSuite(
  checkout: string,
): Promise<{ readonly passed: number; readonly failed: number; readonly skipped: number }> {
  const results = await playSuite(checkout, []);
  const count = (wanted: Result['status']): number => results.filter(({ status }) => status === wanted).length;
  const [passed, failed] = [count('passed'), count('failed')];
  return { passed, failed, skipped: results.length - passed - failed };
}

async function playSuite(checkout: string | undefined, parts: readonly string[]): Promise<readonly Result[]> {
  const folder = resolve(checkout ?? '');
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  if (checkout === undefined || !existsSync(vitest)) {
    throw new LocalRunError(
      'usage: npm run conformance -- <checkout of nubo-db/dynamodb-conformance, after npm install in it> [part of a path ...]',
    );
  }
  const output = mkdtempSync(join(tmpdir(), 'conformance-'));
  const endpoint = await startEndpoint();
  try {
    const file = join(output, 'results.json');
    await run([vitest, 'run', '--reporter=dot', '--reporter=json', `--outputFile=${file}`, ...parts], folder, {
      ...process.env,
      DYNAMODB_ENDPOINT: endpoint.url,
    });
    return listResults(JSON.parse(readFileSync(file, 'utf8')) as Report, folder);
  } finally {
    endpoint.stop();
    rmSync(output, { recursive: true, force: true });
  }
}

/** Runs Node until it ends; it ends with this process. */
function run(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const end = (): void => void child.kill();
  process.once('exit', end);
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', () => {
      process.off('exit', end);
      done();
    });
  });
}

const listResults = ({ testResults }: Report, folder: string): readonly Result[] =>
  testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages }) => ({
      file: name.slice(folder.length + 1),
      name: fullName,
      status,
      why: failureMessages[0]?.split('\n')[0] ?? '',
    })),
  );

function report(results: readonly Result[]): number {
  const tiers = [...new Set(results.map(resultTier))].sort();
  const count = (of: readonly Result[], ...statuses: readonly Result['status'][]): number =>
    of.filter(({ status }) => statuses.includes(status)).length;
  const row = (name: string, of: readonly Result[]): string =>
    `${name.padEnd(6)} ${[count(of, 'passed'), count(of, 'failed'), count(of, 'skipped', 'pending', 'todo'), of.length]
      .map((number) => String(number).padStart(8))
      .join('')}`;
  console.log(`${' '.repeat(6)} ${['passed', 'failed', 'skipped', 'all'].map((title) => title.padStart(8)).join('')}`);
  for (const tier of tiers) {
    console.log(
      row(
        tier,
        results.filter((result) => resultTier(result) === tier),
      ),
    );
  }
  console.log(row('all', results));
  for (const { file, name, why, status } of results) {
    if (status !== 'passed') console.log(`\n${status.toUpperCase()} ${file}\n  ${name}\n  ${why}`);
  }
  return count(results, 'passed') === results.length && results.length > 0 ? 0 : 1;
}

const resultTier = ({ file }: Result): string => file.split('/')[1] ?? '';
