import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INPUTS } from '../../packages/kit/service/bundles.js';
import { atExit } from './at-exit.js';
import { cdk, END_WITH_PARENT } from './cdk.js';
import { devJwks } from './dev-issuer.js';
import type { Endpoint } from './endpoint.js';
import { LocalRunError } from './errors.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, '.build', 'assemblies');
/** Folder of bundles that are kept for the next synthesis. A deployment to AWS, which calls CDK itself, uses none of them. */
export const BUNDLE_CACHE = join(ROOT, '.build', 'bundle-cache');
/** Sources of bundles. A function serves the API's document. Those of the kit are sources of the templates, too. */
export const BUNDLED = ['lambdas', 'packages/kit', 'docs/openapi.json'];
/** Sources of the templates. */
export const TEMPLATES = ['bin', 'lib', 'cdk.json'];
/** All that an assembly is made of. */
export const SOURCES = [
  ...TEMPLATES,
  ...BUNDLED,
  'tools/local/assembly.ts',
  'tools/local/dev-issuer.ts',
  'tools/local/synthesize.ts',
  'package-lock.json',
];
/** Time after which an unused assembly is removed, in milliseconds. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000;
/** Time after which a draft is removed: a signal has ended the process that made it. */
const MADE_WITHIN_MS = 3_600_000;
/** File of an assembly with what was printed while it was made. The assembly is complete once it is there. */
const SAID = 'said.txt';

/** File of an assembly that lists, for each entry point, the sources that it is made of. */
export const BUNDLE_INPUTS = 'bundle-inputs.json';

/** Module that synthesizes several assemblies. */
const SYNTHESIZE = join(ROOT, 'tools', 'local', 'synthesize.ts');

/** Which assembly, of all that the sources can make. */
export interface Wanted {
  readonly environment: string;
  /** Values for `cdk synth -c`. @default those of the environment */
  readonly context?: Readonly<Record<string, string>>;
  /** Whether CDK's own rules check it, too, which take half of the time of a first synthesis. */
  readonly isValidated: boolean;
}

/** `dev`, as it is deployed. */
export const DEV: Wanted = { environment: 'dev', isValidated: true };

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
  const args = ['--import', 'tsx', SYNTHESIZE, JSON.stringify(missing.map(appEnvironment))];
  const env = { ...process.env, NODE_NO_WARNINGS: '1' };
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  const said = `${run.stdout ?? ''}${run.stderr ?? ''}`;
  if (run.status !== 0) throw notSynthesized(said + (run.error?.message ?? run.signal ?? ''));
  return drafts.map((draft) => draft.keep(said));
}

/** Returns what was printed while an assembly was made, and others in the same process. @param folder of the assembly */
export const saidOf = (folder: string): string => readFileSync(join(folder, SAID), 'utf8');

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
 * Returns the assembly of `dev` for a local cloud, made without the rule packs and CDK's own rules, which `npm test` and every
 * deployment play, so that a start takes seconds.
 * @param signal ends it
 * @returns its folder
 * @throws {LocalRunError} with the app's output, if it fails, or with the errors of its constructs
 */
export async function localAssembly(signal?: AbortSignal): Promise<string> {
  // The rules change nothing in it.
  const checked = new Draft(DEV);
  if (checked.isMade) return checked.keep();
  const draft = new Draft({ ...DEV, context: { checks: 'off' }, isValidated: false });
  return draft.keep(draft.isMade ? '' : await runApp(draft, signal));
}

/** Returns the variables by which CDK's command line tells the app what to synthesize. */
function appEnvironment({ folder, wanted }: Draft): Readonly<Record<string, string>> {
  const settings = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: object };
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
  const env = { ...process.env, NODE_NO_WARNINGS: '1', ...appEnvironment(draft) };
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

/** Assembly of a state of the sources: made before, or in the making. */
class Draft {
  private readonly final: string;
  private own: string | undefined;

  constructor(readonly wanted: Wanted) {
    const { environment, context = {}, isValidated } = wanted;
    this.final = join(CACHE, `${environment}-${fingerprint(JSON.stringify([context, isValidated]))}`);
  }

  get isMade(): boolean {
    return existsSync(join(this.final, SAID));
  }

  /** Folder in which it is made. It has one of its own until it is complete. */
  get folder(): string {
    if (this.own !== undefined) return this.own;
    mkdirSync(CACHE, { recursive: true });
    const own = mkdtempSync(`${this.final}.`);
    atExit(() => rmSync(own, { recursive: true, force: true }));
    this.own = own;
    return own;
  }

  /**
   * Keeps it, whoever made it: it is used now.
   * @param said what was printed while it was made, if it is new
   * @returns its folder
   * @throws {LocalRunError} with the errors of its constructs
   */
  keep(said = ''): string {
    if (this.own !== undefined) this.complete(this.own, said);
    const now = new Date();
    utimesSync(this.final, now, now);
    return this.final;
  }

  private complete(own: string, said: string): void {
    const errors = errorsIn(own);
    if (errors.length > 0) throw new LocalRunError(`The app can't be deployed:\n${errors.join('\n')}`);
    // The next synthesis, of other sources, overwrites the file at the root.
    copyFileSync(join(ROOT, INPUTS), join(own, BUNDLE_INPUTS));
    writeFileSync(join(own, SAID), said);
    try {
      renameSync(own, this.final);
    } catch {
      // Another process was faster. The same sources make the same assembly.
      rmSync(own, { recursive: true, force: true });
    }
    this.own = undefined;
    removeUnused();
  }
}

/**
 * Returns the errors that constructs have noted in an assembly, each with the construct's path. CDK's command line refuses an
 * assembly with any, but the app alone writes it and ends well.
 */
export function errorsIn(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.metadata.json'));
  return files.flatMap((name) => {
    const metadata: Metadata = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return Object.entries(metadata).flatMap(([path, entries]) =>
      entries.filter(({ type }) => type === 'aws:cdk:error').map(({ data }) => `${path}: ${data}`),
    );
  });
}

/** What CDK knows of each construct, by the construct's path. */
type Metadata = Readonly<Record<string, readonly { readonly type: string; readonly data: unknown }[]>>;

/** Hashes the sources, the development key (which is part of `dev`) and `more`. */
function fingerprint(more: string): string {
  const hash = createHash('sha256').update(devJwks()).update(more);
  const add = (path: string): void => {
    const full = join(ROOT, path);
    if (statSync(full).isDirectory()) for (const entry of readdirSync(full).sort()) add(join(path, entry));
    else hash.update(path).update('\0').update(readFileSync(full)).update('\0');
  };
  for (const source of SOURCES) add(source);
  return hash.digest('hex').slice(0, 16);
}

/** Removes assemblies that are no longer used, and drafts of killed processes. */
function removeUnused(): void {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    const isDraft = name.includes('.');
    if (Date.now() - statSync(folder).mtimeMs > (isDraft ? MADE_WITHIN_MS : KEPT_FOR_MS))
      rmSync(folder, { recursive: true, force: true });
  }
}
