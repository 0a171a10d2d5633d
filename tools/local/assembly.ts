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
  'package-lock.json',
];
/** Time after which an unused assembly is removed, in milliseconds. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000;
/** Empty file of an assembly that is complete. */
const MADE = 'made';

/** File of an assembly that lists, for each entry point, the sources that it is made of. */
export const BUNDLE_INPUTS = 'bundle-inputs.json';

/** Module that synthesizes several assemblies. */
const SYNTHESIZE = join(ROOT, 'tools', 'local', 'synthesize.ts');

type Context = Readonly<Record<string, string>>;

/** What an assembly is made of, beside the sources. */
export interface Wanted {
  readonly environment: string;
  /** Values for `cdk synth -c`. @default those of the environment */
  readonly context?: Context;
  /** Whether CDK's own rules check it, too, which takes half of the time. */
  readonly isValidated: boolean;
}

/** `dev`, as it is deployed. */
export const DEV: Wanted = { environment: 'dev', isValidated: true };

/**
 * Returns the cloud assembly of an environment, as `cdk synth` makes it. It is synthesized once for each state of the
 * sources, and several processes may read it at the same time.
 * @returns its folder
 * @throws {LocalRunError} with the app's output, if it fails
 */
export function assembly(wanted: Wanted): string {
  const [folder = ''] = assemblies([wanted]);
  return folder;
}

/**
 * Does the same for several, in one process: what is loaded and compiled for the first one takes more time than the others.
 * @returns their folders
 */
export function assemblies(wanted: readonly Wanted[]): readonly string[] {
  const drafts = wanted.map(({ environment, context = {} }) => new Draft(environment, context));
  const settings = wanted.flatMap(({ isValidated }, at) => {
    const draft = drafts[at] as Draft;
    return draft.isMade ? [] : [appEnvironment(draft, isValidated)];
  });
  if (settings.length > 0) {
    const args = ['--import', 'tsx', SYNTHESIZE, JSON.stringify(settings)];
    const env = { ...process.env, NODE_NO_WARNINGS: '1' };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
    if (status !== 0) throw new LocalRunError(`The app can't be synthesized:\n${(stdout + stderr).trimEnd()}`);
  }
  return drafts.map((draft) => draft.keep());
}

/** Does the same as {@link assembly} for `cdk deploy`, without blocking. The endpoint need not answer yet. */
export async function assemblyFor(endpoint: Endpoint, environment: string): Promise<string> {
  const draft = new Draft(environment, {});
  if (!draft.isMade) {
    const args = ['synth', '--quiet', '--output', draft.folder, '-c', `environment=${environment}`];
    await cdk(endpoint, args, () => {}, { ORDERLY_BUNDLES: BUNDLE_CACHE });
  }
  return draft.keep();
}

/**
 * Does the same for a local cloud, without the rule packs, which `npm test` and every deployment play, so that a start takes
 * seconds.
 * @param signal ends it
 * @throws {LocalRunError} with the app's output, if it fails
 */
export async function localAssembly(signal?: AbortSignal): Promise<string> {
  // The rule packs change nothing in it.
  const checked = new Draft('dev', {});
  if (checked.isMade) return checked.keep();
  const draft = new Draft('dev', { checks: 'off' });
  if (!draft.isMade) await runApp(draft, signal);
  return draft.keep();
}

/** Returns the variables by which CDK's command line tells the app what to synthesize. */
function appEnvironment({ folder, context }: Draft, isValidated: boolean): Readonly<Record<string, string>> {
  const settings = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: object };
  const chosen = {
    'aws:cdk:enable-path-metadata': true,
    'aws:cdk:enable-asset-metadata': true,
    'aws:cdk:version-reporting': false,
  };
  return {
    CDK_VALIDATION: String(isValidated),
    CDK_OUTDIR: folder,
    ORDERLY_BUNDLES: BUNDLE_CACHE,
    CDK_CONTEXT_JSON: JSON.stringify({ ...settings.context, ...chosen, ...context }),
  };
}

/** Runs the app without CDK's own rules, which take a third of the time. @throws {LocalRunError} with its output, if it fails */
function runApp(draft: Draft, signal?: AbortSignal): Promise<void> {
  const env = { ...process.env, NODE_NO_WARNINGS: '1', ...appEnvironment(draft, false) };
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
      if (code === 0) resolve();
      else reject(new LocalRunError(`The app can't be synthesized:\n${said.trimEnd()}`));
    });
  });
}

/** Assembly of a state of the sources: made before, or in the making. */
class Draft {
  private readonly final: string;
  private own: string | undefined;

  constructor(
    private readonly environment: string,
    private readonly more: Context,
  ) {
    this.final = join(CACHE, `${environment}-${fingerprint(JSON.stringify(more))}`);
  }

  get isMade(): boolean {
    return existsSync(join(this.final, MADE));
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

  get context(): Context {
    return { environment: this.environment, ...this.more };
  }

  /** Keeps it, whoever made it: it is used now. @returns its folder */
  keep(): string {
    if (this.own !== undefined) this.complete(this.own);
    const now = new Date();
    utimesSync(this.final, now, now);
    return this.final;
  }

  private complete(own: string): void {
    // The next synthesis, of other sources, overwrites the file at the root.
    copyFileSync(join(ROOT, INPUTS), join(own, BUNDLE_INPUTS));
    writeFileSync(join(own, MADE), '');
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
    if (Date.now() - statSync(folder).mtimeMs > KEPT_FOR_MS) rmSync(folder, { recursive: true, force: true });
  }
}
