import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moveIntoPlace } from '../../packages/kit/base/bundle-cache.js';
import { INPUTS } from '../../packages/kit/base/bundles.js';
import { atExit } from './at-exit.js';
import { devJwks } from './dev-issuer.js';
import { LocalRunError } from './errors.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, '.build', 'assemblies');
/** Sources of bundles. A function serves the API's document. Those of the kit are sources of the templates, too. */
export const BUNDLED = ['lambdas', 'packages/client', 'packages/kit', 'packages/operator', 'docs/openapi.json'];
/** Sources of the templates. */
export const TEMPLATES = ['bin', 'lib', 'cdk.json'];
/** All that an assembly is made of. */
export const SOURCES = [
  ...TEMPLATES,
  ...BUNDLED,
  'tools/local/assembly.ts',
  'tools/local/dev-issuer.ts',
  'tools/local/kept-assemblies.ts',
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

/** Which assembly, of all that the sources can make. */
export interface Wanted {
  readonly environment: string;
  /** Values for `cdk synth -c`. @default those of the environment */
  readonly context?: Readonly<Record<string, string>>;
  /** Whether CDK's own rules check it, too, which take half of the time of a first synthesis. */
  readonly isValidated: boolean;
}

/** Returns what was printed while an assembly was made, and others in the same process. @param folder of the assembly */
export const readSynthesisOutput = (folder: string): string => readFileSync(join(folder, SAID), 'utf8');

/** Assembly of a state of the sources: made before, or in the making. */
export class Draft {
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
    const errors = readErrors(own);
    if (errors.length > 0) throw new LocalRunError(`The app can't be deployed:\n${errors.join('\n')}`);
    // The next synthesis, of other sources, overwrites the file at the root.
    copyFileSync(join(ROOT, INPUTS), join(own, BUNDLE_INPUTS));
    writeFileSync(join(own, SAID), said);
    moveIntoPlace(own, this.final);
    this.own = undefined;
    removeUnused();
  }
}

/**
 * Returns the errors that constructs have noted in an assembly, each with the construct's path. CDK's command line refuses an
 * assembly with any, but the app alone writes it and ends well.
 */
export function readErrors(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.metadata.json'));
  return files.flatMap((name) => {
    const metadata: Metadata = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return Object.entries(metadata).flatMap(([path, entries]) =>
      entries.filter(({ type }) => type === 'aws:cdk:error').map(({ data }) => `${path}: ${data}`),
    );
  });
}

/** Metadata that CDK writes for each construct. The keys are the paths of the constructs. */
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

/** Removes assemblies that are no longer used, and drafts of killed processes. Other processes may do so at the same time. */
function removeUnused(): void {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    const isDraft = name.includes('.');
    const used = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - used > (isDraft ? MADE_WITHIN_MS : KEPT_FOR_MS)) rmSync(folder, { recursive: true, force: true });
  }
}
