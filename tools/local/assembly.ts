import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './at-exit.js';
import { cdk, END_WITH_PARENT } from './cdk.js';
import type { Endpoint } from './endpoint.js';
import { LocalRunError } from './errors.js';
import { Draft, type Wanted } from './kept-assemblies.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Folder of bundles that are kept for the next synthesis. A deployment to AWS, which calls CDK itself, uses none of them. */
export const BUNDLE_CACHE = join(ROOT, '.build', 'bundle-cache');
/** Module that synthesizes several assemblies. */
const SYNTHESIZE = join(ROOT, 'tools', 'local', 'synthesize.ts');

/** `dev`, as it is deployed. */
export const DEV: Wanted = { environment: 'dev', isValidated: true };

/** Host that functions of a local cloud with traces call: the local cloud carries its requests to the receiver. */
export const TRACES_HOST = '127.0.0.1:4318';

/** `dev` for a local cloud: with webhooks, and without the rule packs, which change nothing in it. */
export const LOCAL: Wanted = { ...DEV, context: { checks: 'off', webhooks: 'on' }, isValidated: false };
/** The same with traces. */
const TRACED: Wanted = {
  ...LOCAL,
  context: { ...LOCAL.context, traces: 'otlp', tracesEndpoint: `http://${TRACES_HOST}` },
};

/**
 * Returns the cloud assembly of an environment, as `cdk synth` makes it. It is synthesized once for each state of the
 * sources, and several processes may read it at the same time.
 * @returns its folder
 * @throws {LocalRunError} with the app's output, if it fails, or with the errors of its constructs
 */
export function assembly(wanted: Wanted): string {
  const [folder = ''] = assemblies([wanted]);
  return folder;
}

/**
 * Returns several assemblies. Those that are missing are made in one process: what is loaded and compiled for the first one takes
 * more time than the others.
 * @returns their folders
 * @throws {LocalRunError} with the app's output, if it fails, or with the errors of its constructs
 */
export function assemblies(wanted: readonly Wanted[]): readonly string[] {
  const drafts = wanted.map((one) => new Draft(one));
  const missing = drafts.filter(({ isMade }) => !isMade);
  if (missing.length === 0) return drafts.map((draft) => draft.keep());
  const args = [
    '--import',
    'tsx',
    SYNTHESIZE,
    JSON.stringify(missing.map(({ folder, wanted: one }) => appEnvironment(folder, one))),
  ];
  const env = { ...process.env, NODE_NO_WARNINGS: '1' };
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  const said = `${run.stdout ?? ''}${run.stderr ?? ''}`;
  if (run.status !== 0) throw notSynthesized(said + (run.error?.message ?? run.signal ?? ''));
  return drafts.map((draft) => draft.keep(said));
}

const notSynthesized = (said: string): LocalRunError =>
  new LocalRunError(`The app can't be synthesized:\n${said.trimEnd()}`);

/**
 * Returns the assembly of `dev` for an endpoint, by `cdk synth`, without blocking. The endpoint need not answer yet.
 * @returns its folder
 * @throws {LocalRunError} with CDK's output, if it fails
 */
export async function devAssembly(endpoint: Endpoint): Promise<string> {
  const draft = new Draft(DEV);
  if (draft.isMade) return draft.keep();
  const lines: string[] = [];
  const args = ['synth', '--quiet', '--output', draft.folder, '-c', `environment=${DEV.environment}`];
  await cdk(endpoint, args, (line) => lines.push(line), { ORDERLY_BUNDLES: BUNDLE_CACHE });
  return draft.keep(lines.join('\n'));
}

/**
 * Returns the assembly of `dev` with webhooks for a local cloud, made without the rule packs and CDK's own rules, which `npm test` and every
 * deployment play, so that a start takes seconds.
 * @param signal ends it @param traces whether its functions write spans. @default false
 * @returns its folder
 * @throws {LocalRunError} with the app's output, if it fails, or with the errors of its constructs
 */
export async function localAssembly(signal?: AbortSignal, traces = false): Promise<string> {
  const draft = new Draft(traces ? TRACED : LOCAL);
  return draft.keep(draft.isMade ? '' : await runApp(draft, signal));
}

/**
 * Returns the variables by which CDK's command line tells the app what to synthesize.
 * @param folder of the assembly that is made
 * @param root of the app's sources. @default this clone
 */
export function appEnvironment(folder: string, wanted: Wanted, root = ROOT): Readonly<Record<string, string>> {
  const settings = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object };
  const { environment, context, isValidated } = wanted;
  const chosen = {
    'aws:cdk:enable-path-metadata': true,
    'aws:cdk:enable-asset-metadata': true,
    'aws:cdk:version-reporting': false,
  };
  return {
    CDK_VALIDATION: String(isValidated),
    CDK_OUTDIR: folder,
    ORDERLY_BUNDLES: BUNDLE_CACHE,
    CDK_CONTEXT_JSON: JSON.stringify({ ...settings.context, ...chosen, environment, ...context }),
  };
}

/** Runs the app without CDK's command line. @returns what it printed @throws {LocalRunError} with that, if it fails */
function runApp(draft: Draft, signal?: AbortSignal): Promise<string> {
  const env = { ...process.env, NODE_NO_WARNINGS: '1', ...appEnvironment(draft.folder, draft.wanted) };
  return new Promise((resolve, reject) => {
    const args = ['--import', END_WITH_PARENT, '--import', 'tsx', 'bin/orderly-app.ts'];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(signal && { signal }),
    });
    const forget = atExit(() => child.kill());
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    child.on('error', reject);
    child.on('close', (code) => {
      forget();
      if (code === 0) resolve(said);
      else reject(notSynthesized(said));
    });
  });
}
