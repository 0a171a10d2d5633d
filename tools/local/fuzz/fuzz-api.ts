import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LocalCloud } from '@orderly/simulator';
import { localAssembly } from '../assembly.js';
import { atExit } from '../at-exit.js';
import { dueRecords } from '../awaits.js';
import { runDemo } from '../demo.js';
import { readDeployment } from '../deploy.js';
import { devTokens, makeToken } from '../dev-issuer.js';
import { findEndpoint } from '../endpoint.js';
import { LocalRunError } from '../errors.js';
import { findPython, installationPlace, installOnce, installWheels } from '../installing.js';

/** Wheels of Schemathesis. Made by `pip-compile --generate-hashes` of `schemathesis==4.32.5`. */
const LOCK = fileURLToPath(new URL('requirements.lock', import.meta.url));

const USAGE = `Sends requests that Schemathesis makes from the API's document to a local cloud, and compares the answers with the document.
  npm run fuzz:api -- [--requests 20000] [--seed 1]`;

/**
 * Checks of each answer. Not among them: that a request which fits the schemas is taken, since rules stand behind
 * them (a key or a number, an amount that is left), and that TRACE is 405, since the gateway doesn't know it.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];

/** Requests to an operation in a round. */
const EXAMPLES = 40;

/**
 * Runs `npm run fuzz:api`: rounds of Schemathesis against one local cloud, by turns as a customer and as an operator, until
 * there were enough requests. Each round has a seed and a customer of its own.
 * @returns 0 if every answer was documented
 */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = parseOptions(args);
  if (!wanted) {
    console.error(USAGE);
    return 2;
  }
  const schemathesis = await installSchemathesis();
  const folder = await localAssembly();
  const cloud = await LocalCloud.start({ folder, log: () => undefined, nextWorkAt: dueRecords });
  try {
    await prepare(cloud);
    let [sent, failed] = [0, 0];
    for (let seed = wanted.seed; sent < wanted.requests; seed++) {
      const as = seed % 2 === 0 ? 'operator' : 'customer';
      const round = await play(schemathesis, cloud, seed, as);
      sent += round.requests;
      failed += round.failures;
      console.log(`seed ${seed}, ${as}: ${round.requests} requests (${sent} in all), ${round.failures} failures`);
    }
    console.log(`${sent} requests, ${failed} failures`);
    return failed > 0 ? 1 : 0;
  } finally {
    await cloud.stop();
  }
}

function parseOptions(args: readonly string[]): { readonly requests: number; readonly seed: number } | undefined {
  try {
    const options = { requests: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const [requests, seed] = [Number(values.requests), Number(values.seed)];
    return [requests, seed].every((number) => Number.isSafeInteger(number) && number > 0)
      ? { requests, seed }
      : undefined;
  } catch {
    return undefined; // unknown option
  }
}

/** @returns path of the program */
async function installSchemathesis(): Promise<string> {
  const place = installationPlace('schemathesis', [LOCK]);
  await installOnce(place, 'Schemathesis', console.log, async () => {
    const python = findPython();
    if (!python)
      throw new LocalRunError(
        'Python 3.11 to 3.13 with its venv module is needed (or name one: PYTHON=/path/to/python3.13).',
      );
    await installWheels(place, python, LOCK);
  });
  return join(dirname(place.python), 'schemathesis');
}

/** Creates products, orders and payments, so that requests find something. */
async function prepare(cloud: LocalCloud): Promise<void> {
  const endpoint = await findEndpoint(cloud.url);
  const deployment = await readDeployment(endpoint);
  await runDemo({ orderly: { endpoint, deployment }, tokens: devTokens(), progress: () => undefined });
}

interface Round {
  readonly requests: number;
  readonly failures: number;
}

async function play(program: string, { url }: LocalCloud, seed: number, as: 'customer' | 'operator'): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-fuzz-'));
  const report = join(folder, 'report.json');
  const token = makeToken({ sub: as === 'operator' ? 'operator' : `fuzz-${seed}`, role: as });
  try {
    const output = await readOutput(program, [
      'run',
      `${url}/v1/openapi.json`,
      ...['--url', `${url}/v1`],
      ...['--header', `Authorization: Bearer ${token}`],
      ...['--checks', CHECKS.join(',')],
      ...['--max-examples', String(EXAMPLES)],
      ...['--seed', String(seed)],
      ...['--warnings', 'off'],
      '--continue-on-failure',
      ...['--report', 'json', '--report-json-path', report],
    ]);
    const round = parseRound(readFileSync(report, 'utf8'));
    if (round.failures > 0) console.error(output);
    return round;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readOutput(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: tmpdir() });
    const forget = atExit(() => child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', () => {
      forget();
      resolve(output);
    });
  });
}

interface Report {
  readonly complete: boolean;
  readonly test_cases: { readonly generated: number; readonly unique_failures: number };
  readonly errors: readonly unknown[];
}

/** @throws {LocalRunError} if Schemathesis did not come to its end */
function parseRound(text: string): Round {
  const { complete, test_cases, errors } = JSON.parse(text) as Report;
  if (!complete) throw new LocalRunError('Schemathesis ended before its last phase: its report is not complete.');
  return { requests: test_cases.generated, failures: test_cases.unique_failures + errors.length };
}
