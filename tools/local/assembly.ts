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
import { CDK, CDK_OPTIONS, cdk, END_WITH_PARENT } from './cdk.js';
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
export const SOURCES = [...TEMPLATES, ...BUNDLED, 'tools/local/dev-issuer.ts', 'package-lock.json'];
/** Time after which an unused assembly is removed, in milliseconds. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000;
const SAID = 'said.txt';

/** File of an assembly that lists, for each entry point, the sources that it is made of. */
export const BUNDLE_INPUTS = 'bundle-inputs.json';

/** Synthesized app. Several processes may read it at the same time. */
export interface Assembly {
  readonly folder: string;
  /** Output of CDK when the assembly was made, such as warnings of constructs. */
  readonly said: string;
}

/** Values for `cdk synth -c`. */
export type Context = Readonly<Record<string, string>>;

/**
 * Returns the cloud assembly of an environment, as `cdk synth` makes it. It is synthesized once for each state of the
 * sources.
 * @param isDeployed whether CDK's own rules check it, which takes half of the time
 * @throws {LocalRunError} with CDK's output, if CDK fails
 */
export function assembly(environment: string, context: Context = {}, isDeployed = true): Assembly {
  const draft = new Draft(environment, context);
  if (draft.made) return draft.assembly();
  const { status, stdout, stderr } = spawnSync(process.execPath, [CDK, ...draft.args, ...CDK_OPTIONS], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      CDK_VALIDATION: String(isDeployed),
      ORDERLY_BUNDLES: BUNDLE_CACHE,
    },
  });
  if (status !== 0) throw new LocalRunError(`cdk synth failed:\n${stdout}${stderr}`);
  return draft.keep(stdout + stderr);
}

/** Does the same as {@link assembly}, without blocking. The endpoint need not answer yet. */
export async function assemblyFor(endpoint: Endpoint, environment: string): Promise<Assembly> {
  const draft = new Draft(environment, {});
  if (draft.made) return draft.assembly();
  const lines: string[] = [];
  await cdk(endpoint, draft.args, (line) => lines.push(line), { ORDERLY_BUNDLES: BUNDLE_CACHE });
  return draft.keep(lines.join('\n'));
}

/**
 * Does the same for a local cloud: it runs the app without CDK's command line and without the rule packs, which `npm test`
 * and every deployment play, so that a start takes seconds.
 * @param signal ends it
 * @throws {LocalRunError} with the app's output, if it fails
 */
export async function localAssembly(signal?: AbortSignal): Promise<Assembly> {
  // The rule packs change nothing in it.
  const checked = madeBefore('dev', {});
  if (checked) return checked;
  const draft = new Draft('dev', { checks: 'off' });
  if (draft.made) return draft.assembly();
  return draft.keep(await runApp(draft, signal));
}

/** Runs the app as CDK's command line does: the context and the folder for its output are in the environment. */
function runApp({ folder, context }: Draft, signal?: AbortSignal): Promise<string> {
  const settings = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: object };
  const env = {
    ...process.env,
    NODE_NO_WARNINGS: '1',
    // CDK's own rules take a third of the time; `cdk synth` plays them.
    CDK_VALIDATION: 'false',
    CDK_OUTDIR: folder,
    ORDERLY_BUNDLES: BUNDLE_CACHE,
    CDK_CONTEXT_JSON: JSON.stringify({ ...settings.context, 'aws:cdk:version-reporting': false, ...context }),
  };
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
      else reject(new LocalRunError(`The app can't be synthesized:\n${said.trimEnd()}`));
    });
  });
}

/** Returns the assembly if it was made before. It is used now, so it is kept. */
function madeBefore(environment: string, context: Context): Assembly | undefined {
  const folder = folderOf(environment, context);
  if (!isMade(folder)) return undefined;
  const now = new Date();
  utimesSync(folder, now, now);
  return { folder, said: readFileSync(join(folder, SAID), 'utf8') };
}

const folderOf = (environment: string, context: Context): string =>
  join(CACHE, `${environment}-${fingerprint(JSON.stringify(context))}`);
const isMade = (folder: string): boolean => existsSync(join(folder, SAID));

/** Assembly in the making. It has a folder of its own until it is complete. */
class Draft {
  private readonly final: string;
  /** Folder in which it is made. */
  readonly folder: string;

  constructor(
    private readonly environment: string,
    private readonly more: Context,
  ) {
    this.final = folderOf(environment, more);
    mkdirSync(CACHE, { recursive: true });
    this.folder = this.made ? this.final : mkdtempSync(`${this.final}.`);
    if (!this.made) atExit(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  get made(): boolean {
    return isMade(this.final);
  }

  get context(): Context {
    return { environment: this.environment, ...this.more };
  }

  get args(): readonly string[] {
    const options = Object.entries(this.context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return ['synth', '--quiet', '--output', this.folder, ...options];
  }

  assembly(): Assembly {
    const now = new Date();
    utimesSync(this.final, now, now);
    return { folder: this.final, said: readFileSync(join(this.final, SAID), 'utf8') };
  }

  keep(said: string): Assembly {
    // The next synthesis, of other sources, overwrites the file at the root.
    copyFileSync(join(ROOT, INPUTS), join(this.folder, BUNDLE_INPUTS));
    writeFileSync(join(this.folder, SAID), said);
    try {
      renameSync(this.folder, this.final);
    } catch {
      // Another process was faster. The same sources make the same assembly.
      rmSync(this.folder, { recursive: true, force: true });
    }
    const made = this.assembly();
    removeUnused();
    return made;
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
