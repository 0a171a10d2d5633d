import { fork } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { TemplateError } from '../assembly/intrinsics.js';
import { AssemblyNotModelled } from '../assembly/obstacles.js';
import { parseNames, readAssembly } from '../assembly/without-stacks.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import { loadOutside } from '../cloud/load-outside.js';
import { renderIgnored } from '../cloud/render-obstacles.js';
import type { FaultKind } from '../engine/faults.js';
import { CodeNotRunnable } from '../runtime/function-code.js';
import { ModuleUnusable } from '../runtime/import-file.js';
import { KINDS } from './explain.js';
import { describeBroken, groupFindings } from './findings.js';
import {
  renderAnnotations,
  renderFindings,
  renderJUnit,
  renderLearned,
  renderParked,
  renderRefused,
  renderSarif,
  renderSummary,
} from './findings-files.js';
import { loadScenarios, ScenarioUnusable } from './load-scenario.js';
import { makeOracle, type Oracle } from './oracle.js';
import { showProgress } from './progress.js';
import { PROMISES } from './promises.js';
import { readRequests } from './recorded-requests.js';
import { readReplay, type StartedWith, startedWith, writeReplays } from './replay-file.js';
import type { Scenario } from './scenario.js';
import { type Progress, playAgain, type ScenariosOptions, type SearchResult, searchScenarios } from './search-app.js';
import { AppDoesNotAnswer } from './send-requests.js';
import { makeStarter } from './starter.js';
import { StepImpossible } from './steps.js';
import { RequestsUnreadable } from './stimulus.js';

const USAGE = `orderly-simulate [folder] [--scenario <file> | --requests <file>] [options]
                       plays the cloud assembly of a folder (cdk.out) with every single fault, then with random faults,
                       and lists all findings; the exit code is 1 if a promise is broken
  --scenario <file>    scenarios of your own, as a module (.ts, .mjs, .js) exports them
  --requests <file>    requests that were recorded (.http, .har), or examples of an OpenAPI document (.json), or steps for an
                       app without an API (.json), with promises that every app makes; requests.http or requests.json by default,
                       and the first call writes one for your routes
  --outside <module>   models of hosts outside of AWS that functions call, as the module exports them by default
  --for <time>         ends the search after 90s, 5m, 2h; each of several scenarios has the same share
  --seeds <number>     histories with random faults (50)
  --workers <number>   processes (one for each core)
  --without <kinds>    kinds of faults that you don't want, as in late,very-late; --kinds lists them all
  --tolerant           leaves out what has no model and carries no message
  --without-stacks <names>  leaves out stacks, as in Chat,Emails
  --out <folder>       files that play each finding again (.orderly-simulate)
  --junit <file>, --sarif <file>
  --replay <file>      plays one finding again, with its whole trace`;

const OPTIONS = {
  scenario: { type: 'string' },
  requests: { type: 'string' },
  outside: { type: 'string' },
  for: { type: 'string' },
  seeds: { type: 'string', default: '50' },
  workers: { type: 'string' },
  without: { type: 'string', default: '' },
  kinds: { type: 'boolean', default: false },
  tolerant: { type: 'boolean', default: false },
  'without-stacks': { type: 'string' },
  out: { type: 'string', default: '.orderly-simulate' },
  junit: { type: 'string' },
  sarif: { type: 'string' },
  replay: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** A command line that can't be understood. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Message of a worker. */
type FromWorker =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'result'; readonly results: readonly SearchResult[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Environment variable that makes a process a worker: `<part>/<of>`. */
const WORKER = 'ORDERLY_SIMULATE_WORKER';

interface Prepared {
  readonly deployment: Deployment;
  readonly scenarios: readonly Scenario[];
  /** Nothing for scenarios of one's own. */
  readonly oracle?: Oracle;
}

async function prepare(folder: string, given: StartedWith): Promise<Prepared> {
  const { scenario, requests, outside, tolerant, 'without-stacks': without } = given;
  const obstacles = tolerant ? 'ignored' : 'refused';
  const models = outside === undefined ? undefined : await loadOutside(outside);
  const assembly = readAssembly(folder, parseNames(without));
  const deployment = new Deployment(assembly, undefined, undefined, { obstacles, outside: models });
  if (scenario !== undefined) return { deployment, scenarios: await loadScenarios(scenario) };
  const [api] = new Cloud(deployment, { seed: 'apis', keepTrace: false }).apis;
  const oracle = await makeOracle(deployment, readRequests(String(requests), api?.stage));
  return { deployment, scenarios: [oracle.scenario], oracle };
}

/** Runs the command line: a search, or the replay of a finding. @param args behind the command's name @returns its exit code */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    if (values.help || values.kinds) {
      console.log(values.kinds ? renderKinds() : USAGE);
      return 0;
    }
    if (values.replay !== undefined) return await replay(values.replay, values);
    return await search(positionals[0] ?? 'cdk.out', args, values);
  } catch (error) {
    return explainError(error);
  }
}

const EXPECTED = [
  AppDoesNotAnswer,
  CodeNotRunnable,
  ModuleUnusable,
  RequestsUnreadable,
  ScenarioUnusable,
  StepImpossible,
  TemplateError,
];

function explainError(error: unknown): number {
  const { message, code } = error as Error & { code?: string };
  if (error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS')) {
    console.error(`${message}\n\n${USAGE}`);
    return 2;
  }
  if (error instanceof AssemblyNotModelled)
    console.error(`${message}\nAll that stands in the way, and what it means: npx orderly-local check <folder>`);
  else if (EXPECTED.some((kind) => error instanceof kind)) console.error(message);
  else if (code === 'ENOENT') console.error(`${message}\nIs it a cloud assembly? npx cdk synth --quiet makes one.`);
  else console.error(error);
  return 1;
}

const renderKinds = (): string =>
  Object.entries(KINDS)
    .map(([kind, { says, likely, source }]) => `${kind}\n  ${says}\n  how likely: ${likely}\n  source: ${source}`)
    .join('\n');

async function search(folder: string, args: readonly string[], values: Values): Promise<number> {
  const part = process.env[WORKER];
  const options = {
    seeds: parseCount('seeds', values.seeds),
    time: values.for === undefined ? undefined : parseTime(values.for),
    without: parseKinds(values.without ?? ''),
  };
  if (values.scenario === undefined && values.requests === undefined) {
    const found = STARTERS.find((file) => existsSync(file));
    if (found === undefined) return writeStarter(folder, parseNames(values['without-stacks']));
    console.error(`Requests: ${found}`);
    return search(folder, [...args, '--requests', found], { ...values, requests: found });
  }
  if (part !== undefined) return work(folder, values, options, part);
  if (values.requests !== undefined)
    console.error('Plays the requests without faults first, and then with each single fault.');
  const prepared = await prepare(folder, values);
  const { deployment, scenarios, oracle } = prepared;
  const ignored = renderIgnored(deployment.obstacles);
  if (ignored !== undefined) console.log(ignored);
  if (oracle && oracle.refused.length > 0) console.log(renderRefused(oracle.refused));
  if (oracle && oracle.parked.length > 0) console.log(renderParked(oracle.parked));
  const most = parseCount('workers', values.workers ?? String(availableParallelism()));
  const signal = onInterrupt();
  const onProgress = showProgress(process.stderr);
  const share = { part: 0, of: 1 };
  const results =
    most === 1
      ? await searchScenarios(deployment, scenarios, { ...options, share, signal, onProgress })
      : await searchInWorkers(args, most, signal);
  const found = results.flatMap(({ broken }) => broken);
  const findings = groupFindings([...found, ...(oracle?.repeats ?? [])]);
  const replayOf = writeReplays(folder, values, findings);
  if (findings.length > 0) console.log(renderFindings(findings, replayOf));
  const promises =
    values.requests === undefined ? [...new Set(findings.map(({ promise }) => promise))] : Object.values(PROMISES);
  const name = basename(values.scenario ?? values.requests ?? folder);
  if (values.junit !== undefined) writeFileSync(values.junit, renderJUnit(name, promises, findings));
  if (values.sarif !== undefined) writeFileSync(values.sarif, renderSarif(findings));
  if (process.env.GITHUB_ACTIONS === 'true' && findings.length > 0) console.log(renderAnnotations(findings));
  const learned = oracle && renderLearned(oracle);
  if (learned) console.log(learned);
  if (!deployment.recycles)
    console.log('Modules of some functions keep something between invocations: each history has new environments.');
  const left = scenarios.filter(({ name }) => !results.some(({ scenario }) => scenario === name));
  if (left.length > 0) console.log(`\nNot searched: ${left.map(({ name }) => name).join(', ')}`);
  console.log(`\n${renderSummary(results, findings, oracle?.refused)}`);
  if (ignored !== undefined) console.log(ignored);
  if (findings.length > 0) return 1;
  return signal.aborted ? INTERRUPTED : 0;
}

/** Files of requests that are looked for where none is named. */
const STARTERS = ['requests.http', 'requests.json'] as const;

/** Writes a first file of requests, which a person completes. @returns 2, since nothing was searched */
function writeStarter(folder: string, without: readonly string[]): number {
  const deployment = new Deployment(readAssembly(folder, without), undefined, undefined, { obstacles: 'collected' });
  const { file, text, names } = makeStarter(new Cloud(deployment, { seed: 'starter', keepTrace: false }));
  writeFileSync(file, text, { flag: 'wx' });
  const [one, several] = file === 'requests.http' ? ['request', 'requests'] : ['step', 'steps'];
  const what = `${names.length} ${names.length === 1 ? one : several}`;
  console.log(
    `${file} is new, with ${what} that your app may expect:\n  ${names.join('\n  ')}\n` +
      'Put real bodies and ids into it, and call the same again: npx orderly-simulate',
  );
  console.log('Or write promises of your own: npx orderly-simulate --scenario promises.ts');
  return 2;
}

/** Exit code of a process that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Returns a signal that Ctrl-C gives: the search ends, and says what it has found. A second Ctrl-C ends the process. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    controller.abort();
    process.once('SIGINT', () => process.exit(INTERRUPTED));
  });
  return controller.signal;
}

type Options = Pick<ScenariosOptions, 'seeds' | 'time' | 'without'>;

/** Plays a share of the search, and tells the process that has started it. */
async function work(folder: string, values: Values, options: Options, name: string): Promise<number> {
  const tell = (message: FromWorker): void => void process.send?.(message);
  try {
    const [part = 0, of = 1] = name.split('/').map(Number);
    // A terminal sends Ctrl-C to each process, and the first process sends it too.
    const controller = new AbortController();
    process.on('SIGINT', () => controller.abort());
    const { deployment, scenarios } = await prepare(folder, values);
    const onProgress = (progress: Progress): void => tell({ kind: 'progress', progress });
    const { signal } = controller;
    const results = await searchScenarios(deployment, scenarios, {
      ...options,
      share: { part, of },
      signal,
      onProgress,
    });
    tell({ kind: 'result', results });
  } catch (error) {
    tell({ kind: 'failed', message: (error as Error).message });
  }
  process.disconnect?.();
  return 0;
}

/** Lets several processes search. They end with this one. */
async function searchInWorkers(
  args: readonly string[],
  most: number,
  signal: AbortSignal,
): Promise<readonly SearchResult[]> {
  const show = showProgress(process.stderr);
  const state = Array.from({ length: most }, (): Progress => ({ scenario: '', done: 0, all: 0, broken: 0 }));
  const results = state.map(
    (_, part) =>
      new Promise<readonly SearchResult[]>((resolve, reject) => {
        const env = { ...process.env, [WORKER]: `${part}/${most}` };
        const child = fork(String(process.argv[1]), [...args], { env });
        process.once('exit', () => child.kill());
        signal.addEventListener('abort', () => child.kill('SIGINT'));
        child.on('message', (message: FromWorker) => {
          if (message.kind === 'result') resolve(message.results);
          else if (message.kind === 'failed') reject(new AppDoesNotAnswer(message.message));
          else {
            const { scenario } = message.progress;
            state[part] = message.progress;
            const same = state.filter((one) => one.scenario === scenario);
            const sum = (of: 'done' | 'all' | 'broken'): number => same.reduce((all, one) => all + one[of], 0);
            show({ scenario, done: sum('done'), all: sum('all'), broken: sum('broken') });
          }
        });
        child.on('error', reject);
        // A worker that has not begun when Ctrl-C comes has searched nothing.
        child.on('exit', (code) => (signal.aborted ? resolve([]) : reject(new Error(`a worker ended with ${code}`))));
      }),
  );
  return (await Promise.all(results)).flat();
}

/** Plays a finding again. @returns 1 if a promise is still broken */
async function replay(file: string, values: Values): Promise<number> {
  const found = readReplay(file);
  const { folder, scenario, requests } = found;
  const { deployment, scenarios, oracle } = await prepare(folder, startedWith(found, values));
  const ignored = renderIgnored(deployment.obstacles);
  if (ignored !== undefined) console.log(ignored);
  const played = [...scenarios, ...(oracle?.repetitions ?? []).map((one) => one.scenario)].find(
    ({ name }) => name === found.name,
  );
  if (!played) throw new ScenarioUnusable(`${String(scenario ?? requests)} has no ${found.name} any more`);
  const history = await playAgain(deployment, played, found);
  for (const line of history.trace) console.log(line);
  if (history.violations.length === 0) {
    console.log('\nNo promise is broken any more.');
    return 0;
  }
  const { cause, violations } = describeBroken(history, found.bySeed);
  for (const { promise, detail } of violations) console.log(`\nBROKEN ${promise}\n${detail}`);
  console.log(`\n${cause}`);
  return 1;
}

/** @throws {UsageError} */
function parseCount(option: string, text: string | undefined): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0 && (option !== 'workers' || number > 0)) return number;
  throw new UsageError(`--${option} ${text}: a whole number was expected`);
}

/** @returns milliseconds @throws {UsageError} */
function parseTime(text: string): number {
  const [, amount, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  const milliseconds = { s: 1_000, m: 60_000, h: 3_600_000 }[unit];
  if (amount !== undefined && milliseconds !== undefined) return Number(amount) * milliseconds;
  throw new UsageError(`--for ${text}: a time such as 90s, 5m or 2h was expected`);
}

/** @throws {UsageError} */
function parseKinds(text: string): readonly FaultKind[] {
  const kinds = parseNames(text);
  const unknown = kinds.filter((kind) => !Object.hasOwn(KINDS, kind));
  if (unknown.length === 0) return kinds as FaultKind[];
  throw new UsageError(`--without ${unknown.join(',')}: kinds are ${Object.keys(KINDS).join(', ')}`);
}
